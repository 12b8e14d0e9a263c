"""Tells whether two calls load the same thing, from what costs nothing: the path, time and size of a file."""

import os

from ._handover import number_of
from ._signals import pass_on

NAME_LIMIT = 60


def same_of(position, keyword):
    """A hook's ``when``: every call is recorded, with what it loads as its detail. RepeatedLoadsRule.java reads it."""
    def when(args, kwargs):
        return identity(kwargs.get(keyword, args[position] if len(args) > position else None)) or True

    return when


def always(what):
    """The same for calls that all load one thing."""
    def when(args, kwargs):
        return "same " + what

    return when


def identity(thing):
    """``same model.pt 1a2b3c4d``: the last part of the path, and a check sum of the path, when it was changed and how
    long it is. "" if that is not known."""
    if not isinstance(thing, (str, os.PathLike)):
        thing = getattr(thing, "name", thing)  # an open file
    if isinstance(thing, (bytes, bytearray, memoryview)):
        return "same %d bytes" % len(thing)
    if not isinstance(thing, (str, os.PathLike)):
        return ""
    path = os.fsdecode(thing)
    try:
        facts = os.stat(path)
        known = os.path.abspath(path), facts.st_mtime_ns, facts.st_size
    except (OSError, ValueError) as error:
        pass_on(error)
        known = path  # a name of the hub
    last = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return "same %s %08x" % ("".join(one for one in last if one.isprintable())[:NAME_LIMIT], number_of(repr(known).encode("utf-8", "replace")))
