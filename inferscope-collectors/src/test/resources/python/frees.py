"""Calls C whose results take long to free."""

import _pickle
import gc
import sys

gc.disable()
blob = _pickle.dumps([{n} for n in range(20000)])
print("ready", flush=True)
kept = None


def drops():
    _pickle.loads(blob)


def stores():
    global kept
    kept = _pickle.loads(blob)


def stores_locally():
    for _ in range(3):
        mine = _pickle.loads(blob)
    return mine


for turn in range(int(sys.argv[1])):
    drops()
    stores()
    stores_locally()
print("stack\x1fturns\x1fdone")
print("ready", flush=True)
__import__("time").sleep(1000)
