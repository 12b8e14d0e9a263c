"""Counts the signals it gets; says "ready" first and ends when standard input does or after a last signal."""
import os
import signal
import sys
import time

counts = {}
ending = False


def count(number, frame):
    global ending
    name = signal.Signals(number).name
    counts[name] = counts.get(name, 0) + 1
    ending = True


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
    signal.signal(number, count)
print("ready", flush=True)
while not ending:
    time.sleep(0.01)
time.sleep(0.5)  # Time for a second one to arrive.
print("counts", " ".join(f"{k}={v}" for k, v in sorted(counts.items())), flush=True)
sys.exit(int(sys.argv[1]))
