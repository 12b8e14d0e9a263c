#!/usr/bin/env python3
"""Prints the properties of this interpreter's bytecode from which InferScope computes the depth of its value stack.

    for python in python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 python3.15; do $python scripts/bytecode_table.py; done > \\
        inferscope-collectors/src/main/resources/io/inferscope/collectors/python/bytecode.txt

A line is one instruction: its number, its name, the code units of its cache, and by how much it changes the depth:
`a b c` for a + b * argument + c * (argument & 1), or 16 numbers for the arguments 0 to 15. An instruction that can jump has a second such
list, for the depth at the jump's target: after `jump` if its argument is a distance, after `goto` if it is a position. A line with `=` is
another form of the instruction after the `=`. The argument of UNPACK_EX contains two arguments, whose sum counts.
"""

import opcode
import sys
from dis import stack_effect

# The real depth where the compiler counts differently: a call's operands stay on the stack until the call (3.11), and a generator begins with a sent
# value (3.10 and later).
REAL = {"PRECALL": (0, 0, 0), "GEN_START": (0, 0, 0), "RETURN_GENERATOR": (1, 0, 0)}

# A profiler or a debugger replaces instructions by these. INSTRUMENTED_LINE and INSTRUMENTED_INSTRUCTION do not show which instruction they replace.
INSTRUMENTED = "INSTRUMENTED_"

# Their argument is a set of flags, or one of few numbers.
FLAGS = ("BUILD_SLICE", "MAKE_FUNCTION", "FORMAT_VALUE")


def caches(name):
    entries = getattr(opcode, "_inline_cache_entries", {})  # None before 3.11; a mapping from 3.13 on, which is no dict in 3.15.
    return entries.get(name, 0) if hasattr(entries, "get") else entries[opcode.opmap[name]]


def effect(number, name, jump):
    if name == "CALL" and sys.version_info[:2] == (3, 11):
        return (-1, -1, 0)
    if name in REAL:
        return REAL[name]
    values = []
    for argument in range(256):
        try:
            values.append(stack_effect(number, argument if number >= opcode.HAVE_ARGUMENT else None, jump=jump))
        except ValueError:
            values.append(None)
    known = [(argument, value) for argument, value in enumerate(values) if value is not None]
    if not known:
        return None
    for c in (0, 1, -1):
        rest = [(argument, value - c * (argument & 1)) for argument, value in known]
        b = 0 if len(rest) == 1 else rest[-1][1] - rest[-2][1]
        if len({value - b * argument for argument, value in rest}) == 1:
            return (rest[0][1] - b * rest[0][0], b, c)
    if name in FLAGS:
        return tuple(values[:16])
    raise SystemExit("%s changes the stack in a way that has no form here: %s" % (name, values))


def main():
    print("CPython 3.%d" % sys.version_info[1])
    places = set(opcode.hasjabs)
    jumps = set(opcode.hasjrel) | places | set(getattr(opcode, "hasjump", ()))
    for name, number in sorted(opcode.opmap.items(), key=lambda item: item[1]):
        if number > 255 or name.startswith(INSTRUMENTED) or name in ("CACHE", "RESERVED"):
            continue
        always = effect(number, name, False)
        if always is None:
            continue
        line = "%d %s %d %s" % (number, name, caches(name), " ".join(map(str, always)))
        if number in jumps and name != "END_ASYNC_FOR":
            line += (" goto " if number in places else " jump ") + " ".join(map(str, effect(number, name, True)))
        print(line)
    special = getattr(opcode, "_specialized_opmap", None)
    specializations = getattr(opcode, "_specializations", {})
    if special is None:
        names = [name for names in specializations.values() for name in names]
        all_numbers = sys.modules["dis"]._all_opmap if hasattr(sys.modules["dis"], "_all_opmap") else {}
        special = {name: all_numbers[name] for name in names}
    for base, names in sorted(specializations.items()):
        for name in names:
            print("%d %s = %s" % (special[name], name, base))
    for name, number in sorted(opcode.opmap.items(), key=lambda item: item[1]):
        base = name[len(INSTRUMENTED):] if name.startswith(INSTRUMENTED) else None
        if base in opcode.opmap:
            print("%d %s = %s" % (number, name, base))


main()
