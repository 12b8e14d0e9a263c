"""Functions in turns of some 40 ms each, and how long each took by the program's own clock."""

import sys
import time

CLOCKED = {}


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def tokenize():
    spin(0.060)


def decode():
    spin(0.025)


def sleep():
    time.sleep(0.035)


def sample():
    spin(0.040)


def main():
    end = time.perf_counter() + float(sys.argv[1])
    while time.perf_counter() < end:
        for function in (tokenize, decode, sleep, sample):
            start = time.perf_counter_ns()
            function()
            CLOCKED[function.__name__] = CLOCKED.get(function.__name__, 0) + time.perf_counter_ns() - start
    for name, ns in CLOCKED.items():
        print("stack\x1f%s\x1f%d" % (name, ns))
    print("ready", flush=True)
    sys.stdin.read()


main()
