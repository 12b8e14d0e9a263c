"""Threads that wait for good: those named takes_... for a lock that is never given back, the others for something else."""

import queue
import threading
import time

lock = threading.Lock()
again = threading.RLock()
items = queue.SimpleQueue()
acquire = lock.acquire


def takes_by_with():
    with lock:
        pass


def takes_by_call():
    lock.acquire()


def takes_by_name():
    acquire(True, -1)


def takes_again():
    with again:
        pass


def iterates():
    for item in iter(items.get, None):
        pass


def gets():
    items.get()


def sleeps():
    time.sleep(1000)


lock.acquire()
again.acquire()
for work in (takes_by_with, takes_by_call, takes_by_name, takes_again, iterates, gets, sleeps):
    threading.Thread(target=work, daemon=True).start()
print("ready", flush=True)
time.sleep(1)
print("ready", flush=True)
time.sleep(1000)
