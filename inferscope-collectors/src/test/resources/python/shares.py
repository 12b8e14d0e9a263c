"""Functions in turns of some 40 ms each, and when each began and ended by the program's own clock, CLOCK_MONOTONIC ns.

The second argument is the number of threads that take turns like this. Each has functions of its own, named by number
from the second thread on.
"""

import sys
import threading
import time

FUNCTIONS = '''
def tokenize{0}():
    spin(0.060)


def decode{0}():
    spin(0.025)


def sleep{0}():
    time.sleep(0.035)


def sample{0}():
    spin(0.040)
'''


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def turns(number, end, clocked):
    functions = {"spin": spin, "time": time}
    exec(FUNCTIONS.format(number or ""), functions)
    while time.perf_counter() < end:
        for name in ("tokenize", "decode", "sleep", "sample"):
            name += str(number or "")
            start = time.perf_counter_ns()
            functions[name]()
            clocked.setdefault(name, []).extend((start, time.perf_counter_ns()))


def main():
    end = time.perf_counter() + float(sys.argv[1])
    clocked = [{} for _ in range(int((sys.argv + ["1"])[2]))]
    threads = [threading.Thread(target=turns, args=(number, end, of_thread)) for number, of_thread in enumerate(clocked) if number]
    for thread in threads:
        thread.start()
    turns(0, end, clocked[0])
    for thread in threads:
        thread.join()
    for of_thread in clocked:
        for name, at in of_thread.items():
            print("\x1f".join(["turns", name] + [str(ns) for ns in at]))
    print("ready", flush=True)
    sys.stdin.read()


main()
