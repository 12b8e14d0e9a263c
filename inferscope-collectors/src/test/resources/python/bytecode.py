"""Prints the bytecode of functions, each on a line: size of the value stack, instructions, exception table, name."""

import argparse
import asyncio
import collections
import dis
import inspect
import shutil
import tarfile
import tempfile
import threading
import types


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def instructions(code):
    return getattr(code, "_co_code_adaptive", code.co_code)


for _ in range(200):  # Specialises what it runs.
    inspect.cleandoc("a\n b")
streams = (asyncio.base_events, asyncio.streams)
for module in (argparse, *streams, collections, dis, inspect, shutil, tarfile, tempfile, threading):
    with open(module.__file__, encoding="utf-8") as file:
        compiled = list(codes(compile(file.read(), module.__file__, "exec")))
    run = [value.__code__ for value in vars(module).values() if isinstance(value, types.FunctionType)]
    for code in compiled + run:
        handlers = getattr(code, "co_exceptiontable", b"").hex() or "-"
        print(code.co_stacksize, instructions(code).hex(), handlers, getattr(code, "co_qualname", code.co_name))
