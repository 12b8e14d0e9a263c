"""Calls that change all the time, along edges that the test knows; short-lived code objects among them."""

import collections
import sys
import threading
import time

kept = collections.deque(maxlen=100)


def leaf(n):
    return n * 2 + 1


def left(n):
    if n <= 0:
        return leaf(n)
    return right(n - 1) + (left(n - 2) if n % 3 == 0 else 1)


def right(n):
    if n <= 0:
        return leaf(n)
    return left(n - 1)


def items(n):
    for i in range(n):
        yield leaf(i)


def delegated(n):
    yield from items(n)


def rows(n):
    for i in range(n):
        yield left(i % 3)


def consume(n):
    total = 0
    for item in delegated(n):
        total += item
    own = rows(30)
    kept.append(own)  # Each lies elsewhere in memory.
    for item in own:
        total += leaf(item) + leaf(total)
    return total


def churn(n):
    scope = {}
    exec("def made_%d(n):\n    return [i for i in range(n)]\n" % (n % 7), scope)
    return scope["made_%d" % (n % 7)](20)


def work(end, seed):
    n = seed
    while time.monotonic() < end:
        left(n % 9 + 3)
        consume(n % 5 + 1)
        churn(n)
        n += 1


def main():
    end = time.monotonic() + float(sys.argv[1])
    threads = [threading.Thread(target=work, args=(end, seed)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
