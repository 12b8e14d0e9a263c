"""Calls C in many ways. What a line calls is said at its end: zlib, nothing of a module, or either."""

import bisect
import contextlib
import decimal
import functools
import sys
import zlib

data = bytes(range(256)) * 60
small = b"abc"
numbers = list(range(20000))
bad = b"no"
keywords = {"level": 9}


class Held:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        sum(numbers)  # nothing


def plain():
    zlib.compress(data, 9)  # zlib
    sum(numbers)  # nothing
    for number in range(20000):  # nothing
        number = number * 31 % 65521  # nothing
    zlib.compress(data, level=9)  # zlib
    sorted(numbers, reverse=True)  # nothing
    zlib.compress(data, **keywords)  # zlib
    max(numbers)  # nothing
    zlib.compress(*[data, 9])  # zlib
    max(*[numbers, numbers], key=len)  # nothing


def nested():
    zlib.crc32(  # either
        bytes(  # nothing
            sum(numbers) & 7  # nothing
        )
    )
    sum(  # nothing
        zlib.compress(data, 9)  # zlib
    )
    zlib.adler32(zlib.compress(data, 9), len(  # zlib
        sorted(numbers)  # nothing
    ))


def methods():
    packer = zlib.compressobj(9)  # zlib
    packer.compress(data)  # zlib
    packer.flush()  # zlib
    numbers.copy().sort(reverse=True)  # nothing
    held = zlib.compressobj(9).compress  # either
    held(data)  # zlib
    getattr(numbers, "index")(19999)  # nothing
    getattr(zlib, "compress")(data, 9)  # zlib
    getattr(numbers, "count")(19999)  # nothing


def blocks():
    try:
        zlib.compress(data, 9)  # zlib
        zlib.decompress(bad)  # zlib
    except zlib.error:  # nothing
        sum(numbers)  # nothing
        zlib.compress(data, 9)  # zlib
    finally:
        sum(numbers)  # nothing
    with Held(), contextlib.suppress(zlib.error):
        zlib.compress(data, 9)  # zlib
        zlib.decompress(bad)  # zlib
    for byte in [
        zlib.crc32(data[at:])  # either
        for at in range(100)
    ]:
        abs(byte)  # nothing


def yielding():
    for at in range(30):
        yield zlib.crc32(data)  # either
        sum(numbers[:2000])  # nothing


def generators():
    for _ in yielding():  # nothing
        max(numbers[:2000])  # nothing
    sum(  # nothing
        zlib.crc32(data)  # either
        for _ in range(30)
    )


packed = functools.partial(zlib.compress, level=9)


def unseen():
    packed(data)  # nothing
    list(  # nothing
        map(zlib.crc32, [data] * 30)  # nothing
    )


def key(number):
    sum(numbers[:500])  # nothing
    return number


def backwards():
    if sys.version_info >= (3, 10):  # nothing
        bisect.bisect(numbers, 777, key=key)  # bisect


def brief():
    for number in range(1500):  # nothing
        zlib.crc32(small)  # zlib
        len(small)  # nothing
        zlib.adler32(small)  # zlib
        abs(number)  # nothing


def repeated():
    for number in range(1500):  # nothing
        getattr(zlib, "crc32")(small)  # either
        getattr(small, "hex")()  # nothing
        getattr(number, "bit_length")()  # nothing


context = decimal.Context(prec=3000)
decimal.setcontext(context)
third = decimal.Decimal(1) / 3


class Own(decimal.Decimal):
    def __init__(self, number):
        sum(numbers)  # nothing

    def __mul__(self, other):
        sum(numbers)  # nothing
        return other


own = Own(2)


def operators():
    third * third  # decimal
    sum(numbers) + 1  # nothing
    2 / third  # decimal
    numbers[1:] + numbers  # nothing
    for _ in range(40):
        third < -third  # decimal
        abs(_) % 7  # nothing
        third + 2  # decimal
        19999 in numbers  # nothing
        "%d" % third  # nothing
    own * third  # nothing
    Own(2)  # nothing


def iterators():
    if sqlite3:
        for row in rows.execute("select * from number"):  # sqlite3
            number = row[0] * 31 % 65521  # nothing


try:
    import sqlite3

    rows = sqlite3.connect(":memory:")
    rows.execute("create table number (value)")
    rows.executemany("insert into number values (?)", [(number,) for number in numbers[:3000]])
except ImportError:
    sqlite3 = None

print("ready", flush=True)
turns = int(sys.argv[1])
works = (plain, nested, methods, blocks, generators, unseen, backwards, brief, repeated, operators, iterators)
if len(sys.argv) > 2:  # A profile function is on, but for the last quarter.
    sys.setprofile(lambda *_: None)
    works = (plain,)
for turn in range(turns):
    if turn == turns * 3 // 4 and len(sys.argv) > 2:
        sys.setprofile(None)
    for work in works:
        work()
print("stack\x1fturns\x1fdone")
print("ready", flush=True)
__import__("time").sleep(1000)
