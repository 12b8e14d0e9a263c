"""The outcome of a tracer, as exit codes that the orchestrator reads; signals and timeouts it sees itself."""

import errno
import os
import re

from .tracer import ModelError, Unsupported

OK = 0
MODEL_ERROR = 1
USAGE = 2
UNSUPPORTED = 3
CANNOT_WRITE = 5
OUT_OF_MEMORY = 9

_NO_MEMORY = re.compile(r"can't allocate memory|not enough memory|cannot allocate memory|out of memory|std::bad_alloc", re.I)
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
_TOKEN = re.compile(r"hf_[A-Za-z0-9]{16,}|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")
_LONGEST_REASON = 2000


def code_of(error):
    """Returns the exit code for an exception; if the cause of the exception says more, that of the cause."""
    seen = set()
    at = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        if isinstance(at, MemoryError) or type(at).__name__ == "OutOfMemoryError":
            return OUT_OF_MEMORY
        if isinstance(at, (RuntimeError, OSError)) and (_NO_MEMORY.search(str(at)) or getattr(at, "errno", 0) == errno.ENOMEM):
            return OUT_OF_MEMORY
        if isinstance(at, Unsupported):
            return UNSUPPORTED
        if isinstance(at, OSError) and at.errno in _NO_ROOM:
            return CANNOT_WRITE
        at = at.__cause__ or at.__context__
    if isinstance(error, ModelError):
        return MODEL_ERROR
    return CANNOT_WRITE if isinstance(error, PermissionError) else MODEL_ERROR


def reason_of(error):
    """Returns an exception in one line without secrets, fit to be printed: a model's files may hold anything."""
    text = str(error).strip()
    own = isinstance(error, (ModelError, Unsupported))
    line = text if own and text else "%s: %s" % (type(error).__name__, text) if text else type(error).__name__
    return visible(redact(" ".join(line.split())))[:_LONGEST_REASON]


def visible(text):
    """Returns a text in which control characters, which a terminal would obey and not show, are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def redact(text):
    """Returns a text without access tokens: those of the environment, and whatever looks like one."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        token = os.environ.get(name, "")
        if len(token) > 4:
            text = text.replace(token, "***")
    return _TOKEN.sub("***", text)
