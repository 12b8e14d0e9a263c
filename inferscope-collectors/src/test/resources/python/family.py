"""A fork, and a program that is replaced by another one; all hold still in functions that tell who they are."""

import os
import sys


def child_waits():
    sys.stdout.write("stack\x1f%d\x1fchild_waits\n" % os.getpid())
    sys.stdout.flush()
    os.write(SAID[1], b"x")
    os.read(0, 1)


def parent_waits(child):
    os.read(SAID[0], 1)
    sys.stdout.write("stack\x1f%d\x1fparent_waits\n" % os.getpid())
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    os.waitpid(child, 0)


if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, __file__, "again"])
SAID = os.pipe()
child = os.fork()
if child == 0:
    child_waits()
    os._exit(0)
parent_waits(child)
