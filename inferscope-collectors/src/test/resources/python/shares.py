"""Functions in turns of some 40 ms each, and when each began and ended by the program's own clock, CLOCK_MONOTONIC ns."""

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
            CLOCKED.setdefault(function.__name__, []).extend((start, time.perf_counter_ns()))
    for name, turns in CLOCKED.items():
        print("\x1f".join(["turns", name] + [str(ns) for ns in turns]))
    print("ready", flush=True)
    sys.stdin.read()


main()
