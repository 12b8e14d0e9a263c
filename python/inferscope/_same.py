"""Tells whether two calls load the same thing, from what costs nothing: the path, time and size of a file; and how much of
a text was tokenized before. SpoolRecords.java reads both."""

import os
import sys

from ._handover import number_of
from ._signals import pass_on
from ._where import user_file

NAME_LIMIT = 60
FILES_LIMIT = 4096
SHORTEST, LONGEST, TEXTS = 256, 1 << 18, 8  # letters of a text that is compared; how many of the last ones

_own = {}
_texts = []


def same_of(position, keyword):
    """A hook's ``when``: every call is recorded, with what it loads as its detail."""
    def when(args, kwargs):
        return identity(kwargs.get(keyword, args[position] if len(args) > position else None)) or True

    return when


def always(what):
    """The same for calls that all load one thing."""
    def when(args, kwargs):
        return "same " + what

    return when


def same_in_own_code(position, keyword):
    """The same for calls of a file's reader by the program's own code; others are not recorded: libraries read many
    files."""
    def when(args, kwargs):
        frame = sys._getframe(1)
        wrapper = file = frame.f_code.co_filename
        while file == wrapper:
            frame = frame.f_back
            file = frame.f_code.co_filename
        own = _own.get(file)
        if own is None:
            own = bool(user_file(file))
            if len(_own) < FILES_LIMIT:
                _own[file] = own
        return own and identity(kwargs.get(keyword, args[position] if len(args) > position else None))

    return when


def begins_same(position, keyword):
    """A hook's ``when``: every call is recorded; if its text begins with all of a text that was tokenized before, how many
    percent of it are the same is its detail: ``again 95``. What a text says is not kept, but for the last texts themselves."""
    def when(args, kwargs):
        return repeated(kwargs.get(keyword, args[position] if len(args) > position else None)) or True

    return when


def repeated(text):
    if type(text) is list and text:
        if type(text[0]) is dict:  # a conversation
            text = "".join([str(message.get("content")) for message in text])
        elif len(text) == 1:
            text = text[0]
    if type(text) is not str or not SHORTEST <= len(text) <= LONGEST:
        return ""
    known = max([one for one in _texts if text.startswith(one)], key=len, default="")
    _texts[:] = [text] + [one for one in _texts if one is not known][:TEXTS - 1]
    return "again %d" % (100 * len(known) // len(text)) if 0 < len(known) < len(text) else ""


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
