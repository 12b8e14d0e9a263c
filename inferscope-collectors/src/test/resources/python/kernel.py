"""Takes turns between Python, fresh memory, a file and a file in memory; then says its own clock of user and of system
time, in us."""

import io
import mmap
import os
import resource
import sys
import tempfile

piece = b"x" * (1 << 20)
zeros = bytes(2500 * 4096)


def counts():
    number = 0
    for turn in range(30000):
        number = (number * 31 + turn) % 65521


def touches():
    for _ in range(4):
        mmap.mmap(-1, len(zeros))[:] = zeros


def writes(file):
    for _ in range(10):
        file.write(piece)
    write = file.write
    for _ in range(10):
        write(piece)
    file.seek(0)


def grows():
    file = io.BytesIO()
    for _ in range(8):
        file.write(piece)


print("stack\x1fmodule")
print("ready", flush=True)
before = resource.getrusage(resource.RUSAGE_THREAD)
with tempfile.TemporaryFile(buffering=0) as file:
    for turn in range(int(sys.argv[1])):
        counts()
        touches()
        writes(file)
        grows()
after = resource.getrusage(resource.RUSAGE_THREAD)
user, system = (int(1e6 * (b - a)) for a, b in zip(before[:2], after[:2]))
print("stack\x1ftimes\x1f%d\x1f%d" % (user, system))
print("ready", flush=True)
os.read(0, 1)
