"""Does one thing after another beneath Python, each in a function of its own and for the same CPU time."""

import ctypes
import mmap
import os
import random
import socket
import subprocess
import sys
import time

try:
    import lzma as packer
    import sqlite3
except ImportError:  # Not in every build.
    import bz2 as packer

    sqlite3 = None

SECONDS = float(sys.argv[1])
CHILD = "import time, zlib\nend = time.thread_time() + 0.05\nwhile time.thread_time() < end: zlib.compress(bytes(1000000))"

room = ctypes.create_string_buffer(1 << 22)
scramble = ctypes.CDLL(None).memfrob
if sqlite3:
    table = sqlite3.connect(":memory:")
    table.execute("create table t(a, b)")
    table.executemany("insert into t values(?, ?)", ((i, str(i)) for i in range(20000)))
text = bytes(random.Random(1).choices(range(256), k=40000)) * 2
out = open("out", "wb", buffering=0)
block = bytes(1 << 22)
near, far = socket.socketpair()
if os.fork() == 0:  # Sends a little now and then, until nobody receives it.
    near.close()
    try:
        while True:
            time.sleep(0.01)
            far.sendall(b"x" * 1000)
    except OSError:
        os._exit(0)
far.close()
large = b"x" * (1 << 27)  # Its page tables make forks long.


def computes():
    number = 0
    for turn in range(100000):
        number = (number * 31 + turn) % 65521


def calls_c():
    for _ in range(4):
        scramble(room, 1 << 22)


def scans():
    for _ in range(3):
        table.execute("select count(*) from t where b like '%7%'").fetchone()


def packs():
    packer.compress(text)


def touches():
    fresh = mmap.mmap(-1, 20000 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    fresh[::4096] = bytes(20000)
    fresh.close()


def writes():
    for _ in range(4):
        out.seek(0)
        out.write(block)


def forks():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def receives():
    near.recv(1000)


def asks():
    subprocess.run([sys.executable, "-S", "-c", CHILD])


for work in (computes, calls_c, packs, touches, writes, forks) + ((scans,) if sqlite3 else ()):
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        work()
end = time.monotonic() + SECONDS
while time.monotonic() < end:
    receives()
for _ in range(6):
    asks()
