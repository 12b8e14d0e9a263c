"""The line tables of many code objects, and line and columns of each instruction as the interpreter itself reads them."""

import argparse
import asyncio.base_events
import dis
import sys
import types


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def lines(code):
    units = [0] * (len(code.co_code) // 2)
    if sys.version_info >= (3, 10):
        for start, end, line in code.co_lines():
            for unit in range(start // 2, end // 2):
                units[unit] = line or 0
    else:
        starts = list(dis.findlinestarts(code)) + [(len(code.co_code), None)]
        for (start, line), (end, _) in zip(starts, starts[1:]):
            for unit in range(start // 2, end // 2):
                units[unit] = line
    return units


def columns(code):
    if sys.version_info < (3, 11):
        return "-"
    units = ((0, 0) if column is None else (column + 1, end + 1 if last == line and end is not None else 0) for line, last, column, end in code.co_positions())
    return ",".join(str(first << 16 | end if max(first, end) < 1 << 15 else 0) for first, end in units)


for module in (argparse, asyncio.base_events):
    with open(module.__file__, encoding="utf-8") as source:
        whole = compile(source.read(), module.__file__, "exec")
    for code in codes(whole):
        table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
        print("code", code.co_firstlineno, table.hex() or "-", ",".join(str(line) for line in lines(code)), columns(code))
