"""Threads in known nested calls that then hold still, and what the interpreter itself says of their stacks."""

import asyncio
import os
import sys
import threading
import time

HOLD = threading.Lock()
HOLD.acquire()


def wait_here():
    HOLD.acquire()


class Tokenizer:
    def encode(self, depth):
        if depth:
            return self.encode(depth - 1)
        return wait_here()

    @staticmethod
    def of_static():
        def inner():
            wait_here()
        inner()


def numbers():
    yield 1
    wait_here()
    yield 2


def outer_numbers():
    yield from numbers()


def generator_chain():
    for _ in (number for number in outer_numbers()):
        pass


async def inner_coroutine():
    await asyncio.sleep(0)
    wait_here()


async def outer_coroutine():
    await inner_coroutine()


def coroutines():
    asyncio.run(outer_coroutine())


def c_callback():
    sorted([3, 1, 2], key=lambda value: (
        wait_here(),
        value))


def größe_プロセス():
    wait_here()


def recursion(depth=700):
    if depth == 0:
        wait_here()
    else:
        recursion(depth - 1)


def long_function():
    x = 1
    if x:
        try:

            with open(os.devnull):


                wait_here()
        finally:
            x = 2
    return x


def executed():
    exec(compile("def made():\n\n  wait_here()\nmade()", "/tmp/🐍/made.py", "exec"), {"wait_here": wait_here})


class Warm:
    """The interpreter calls its methods without C once they have been called often."""

    def __init__(self, wait):
        wait()

    @property
    def value(self):
        wait_here()

    def __getitem__(self, wait):
        wait()


class Ended:
    def __init__(self, wait):
        self.wait = wait

    def __del__(self):
        self.wait()


def leave(wait):
    ended = Ended(wait)
    return ended.wait


WAITS = [int] * 200 + [wait_here]


def initializer():
    for wait in WAITS:
        Warm(wait)


def subscript():
    warm = Warm(int)
    for wait in WAITS:
        warm[wait]


def finalizer():
    for wait in WAITS:
        leave(wait)


def report():
    ids = {}
    for thread in threading.enumerate():
        ids[thread.ident] = thread.native_id
    while True:
        time.sleep(0.05)
        frames = sys._current_frames()
        others = {i: f for i, f in frames.items() if i != threading.get_ident()}
        if len(others) == len(ids) - 1 and all(f.f_code.co_name == "wait_here" for f in others.values()):
            break
    for ident, frame in others.items():
        names = []
        while frame is not None:
            code = frame.f_code
            names.append("%s(%d): %s" % (
                code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)))
            frame = frame.f_back
        line = "\x1f".join(["stack", str(ids[ident])] + names[::-1])
        sys.stdout.buffer.write(line.encode("utf-8") + b"\n")
    sys.stdout.buffer.write(b"ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)


def main():
    jobs = [
        lambda: Tokenizer().encode(3), Tokenizer.of_static, generator_chain, coroutines, c_callback,
        größe_プロセス, recursion, long_function, executed,
        initializer, subscript, finalizer, lambda: Warm(int).value]
    sys.setrecursionlimit(5000)
    threading.stack_size(64 << 20)
    for number, job in enumerate(jobs):
        threading.Thread(target=job, name="job %d" % number, daemon=True).start()
    threading.Thread(target=report, name="reporter", daemon=True).start()
    wait_here()


main()
