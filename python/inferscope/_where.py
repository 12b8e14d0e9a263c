"""Finds the line of the user's own code that a span was opened from."""

import os

FRAME_LIMIT = 40
CACHE_LIMIT = 65536
# (end of the file's path, function): what calls it is no caller of the work below it, but the program's loop or server.
BOUNDARIES = ("/asyncio/events.py", "_run"), ("/inferscope/hooks/server_hooks.py", "recorded")
USER_PSEUDO_FILES = ("<string>", "<stdin>")

_here = os.path.dirname(os.path.abspath(__file__))
_library_folders = (_here + os.sep, os.path.dirname(os.path.abspath(os.__file__)) + os.sep)
_bootstrap = os.path.join(os.path.dirname(_here), "bootstrap") + os.sep
try:
    _start_folder = os.getcwd() + os.sep
except OSError:
    _start_folder = os.sep


def user_file(filename):
    """The printed name of a code object's file, or "" if it is not the user's: relative to the folder in which the
    program started if it is below it, otherwise its whole path, as in stack samples."""
    if filename.startswith("<"):
        return filename if filename in USER_PSEUDO_FILES or filename.startswith("<ipython-input") else ""
    path = os.path.normpath(os.path.join(_start_folder, filename))
    if "/site-packages/" in path or "/dist-packages/" in path or path.startswith(_library_folders + (_bootstrap,)):
        return ""
    return path[len(_start_folder):] if path.startswith(_start_folder) else path


class Where:
    """Maps frames to string ids of ``file:line function``, as samples name places; one per spool, since the ids belong to the spool.

    The key is the code object's address and the instruction, because hashing a code object or computing a line number
    costs more than the whole lookup. The cached value keeps the code object alive, so an address is never reused. Of code
    that is not the user's, the instruction does not matter: a server has twenty such frames around each request.
    """

    def __init__(self, intern):
        self.known, self.passed = {}, {}
        self.intern = intern

    def find(self, frame):
        """String id of the innermost user line at or above ``frame``, or 0. In a task of a loop, only its own frames count, and
        in a request those of its handler: the line that started the server is not where a request does something."""
        known, passed = self.known, self.passed
        for _ in range(FRAME_LIMIT):
            if frame is None:
                return 0
            code = frame.f_code
            if id(code) not in passed:
                where = (known.get((id(code), frame.f_lasti)) or self._learn(frame, code))[0]
                if where != 0:
                    return where or 0
            frame = frame.f_back
        return 0

    def _learn(self, frame, code):
        name = user_file(code.co_filename)
        function = getattr(code, "co_qualname", code.co_name)
        where = self.intern("%s:%d %s" % (name, frame.f_lineno, function)) if name else 0
        if any(code.co_filename.endswith(file) and code.co_name == called for file, called in BOUNDARIES):
            where = None
        entry = where, code
        if len(self.known) + len(self.passed) < CACHE_LIMIT:
            cache, key = (self.passed, id(code)) if where == 0 else (self.known, (id(code), frame.f_lasti))
            cache[key] = entry
        return entry
