"""One thread that holds the GIL for long stretches, and one that wants it all the time."""

import sys
import threading
import time


def hog():
    value = 1 << 40000
    while True:
        pow(value, 3)


def wants():
    while True:
        time.sleep(0)


sys.setswitchinterval(0.02)
for job in (hog, wants):
    threading.Thread(target=job, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
