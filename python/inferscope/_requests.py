"""Requests to a server, from arrival to the last byte or token of the answer."""

from itertools import count
from time import monotonic_ns

from . import _recorder
from ._signals import pass_on
from ._spool_format import REQUEST_FIRST_NS_WORD

NAME_LIMIT = 500
TOKEN_LIMIT = 4000  # tokens of one request; the times of further ones are not kept

_numbers = count(1)
_names = set()


class Request:
    """One request. All methods fail open, and do nothing once it has ended."""

    __slots__ = ("recorder", "word", "first_ns", "last_ns", "items", "gaps_us")

    def __init__(self, name, ident="", arrival_ns=0):
        """``ident``: the server's own id; without one the request is numbered within its process."""
        self.recorder, self.word, self.first_ns, self.last_ns, self.items = _recorder.current, 0, 0, 0, 0
        self.gaps_us = []
        try:
            if self.recorder is not None:
                ident = ident or "%d-%d" % (self.recorder.pid, next(_numbers))
                self.word = self.recorder.request(name, ident, arrival_ns or monotonic_ns())
        except Exception as error:
            pass_on(error)

    def answered(self, items=1, first=True):
        """Counts tokens or chunks of the answer when they are sent; those of one call are sent together."""
        self.items += items
        if not first or not (items or not self.first_ns):
            return
        now_ns = monotonic_ns()
        if self.first_ns:
            if len(self.gaps_us) < TOKEN_LIMIT:
                self.gaps_us.append((now_ns - self.last_ns + 500) // 1000)
        else:
            self.first_ns = now_ns
            try:
                if self.word:
                    self.recorder.words[self.word + REQUEST_FIRST_NS_WORD] = now_ns
            except Exception as error:
                pass_on(error)
        self.last_ns = now_ns

    def end(self, detail="", name="", end_ns=0):
        word, self.word = self.word, 0
        try:
            if word:
                detail = detail or self.gaps_us and '{"gaps_us":[%s]}' % ",".join(map(str, self.gaps_us)) or ""
                self.recorder.end_request(word, end_ns or monotonic_ns(), self.first_ns, self.items, detail, name)
        except Exception as error:
            pass_on(error)


def route_name(method, path):
    """``GET /v1/models``: without host and query; a part of the path that may be an id, a name or a secret is ``*``.
    Only the method once a process has seen 500 different names."""
    name = "%s %s" % (method, str(path).partition("?")[0].partition("#")[0])
    if "://" in name:
        name = "%s /%s" % (method, name.partition("://")[2].partition("/")[2])
    name = "/".join([part if _is_word(part) else "*" for part in name.split("/")])
    if name not in _names:
        if len(_names) >= NAME_LIMIT:
            return str(method)
        _names.add(name)
    return name


def _is_word(part):
    """Whether a part of a path looks like a fixed word: ``v1``, ``chat``, ``gpt-4o``, ``{item}``."""
    digits = sum(letter.isdigit() for letter in part)
    plain = part.isascii() and all(letter.isalnum() or letter in "-_.{}: " for letter in part)
    return plain and len(part) <= 32 and digits <= 2 and (digits < len(part) or not part)
