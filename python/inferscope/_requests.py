"""Requests to a server, from arrival to the last byte or token of the answer."""

import sys
from itertools import count
from time import clock_getres, monotonic_ns

from . import _recorder
from ._handover import waits
from ._signals import pass_on
from ._spool_format import REQUEST_FIRST_NS_WORD

NAME_LIMIT = 500
TOKEN_LIMIT = 4000  # tokens of one request; the times of further ones are not kept

IPPROTO_TCP, TCP_INFO = 6, 11  # linux/in.h, linux/tcp.h
LAST_DATA = slice(52, 56)  # tcpi_last_data_recv of struct tcp_info: milliseconds since the last data came
CLOCK_MONOTONIC_COARSE = 6  # linux/time.h
TICK_NS = int(1e9 * clock_getres(CLOCK_MONOTONIC_COARSE))  # the kernel counts them in ticks of 1 to 10 ms
LONGEST_MS = 600_000

_numbers = count(1)
_names = set()


class Request:
    """One request. All methods fail open, and do nothing once it has ended."""

    __slots__ = ("recorder", "word", "first_ns", "last_ns", "items", "gaps_us", "waited_us")

    def __init__(self, name, ident="", arrival_ns=0, handled=False):
        """``ident``: the server's own id; without one the request is numbered within its process. ``handled``: what
        answers it is called now."""
        self.recorder, self.word, self.first_ns, self.last_ns, self.items = _recorder.current, 0, 0, 0, 0
        self.gaps_us = []
        self.waited_us = (monotonic_ns() - arrival_ns) // 1000 if handled and arrival_ns else 0
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
                detail = detail or self._detail()
                self.recorder.end_request(word, end_ns or monotonic_ns(), self.first_ns, self.items, detail, name)
        except Exception as error:
            pass_on(error)


    def _detail(self):
        parts = ['"waited_us":%d' % self.waited_us] if self.waited_us > 0 else []
        if self.gaps_us:
            parts.append('"gaps_us":[%s]' % ",".join(map(str, self.gaps_us)))
        return "{%s}" % ",".join(parts) if parts else ""


def arrived_ns(sock):
    """When the data that a connection has just read came to this machine, as far as the kernel tells: it may have waited
    for the connection to be accepted, for the loop, for the GIL or for a CPU. Now, if that is not known.

    More exact than the kernel's ticks: a loop that waited had no data before, and what its wait ended with came then.
    Where waits are not known, as of uvloop, one tick counts half: most data are read soon."""
    now_ns = monotonic_ns()
    try:
        ago_ms = int.from_bytes(sock.getsockopt(IPPROTO_TCP, TCP_INFO, LAST_DATA.stop)[LAST_DATA], sys.byteorder)
    except Exception as error:  # not TCP, closed, or a stand-in for a socket
        pass_on(error)
        ago_ms = 0
    ago_ns = ago_ms * 1_000_000 if ago_ms < LONGEST_MS else 0
    if ago_ns <= TICK_NS and waits.turned_ns == 0:
        ago_ns //= 2
    at_ns = now_ns - ago_ns
    if at_ns < waits.waited_ns - TICK_NS:
        return at_ns  # The thread got no CPU when the data came.
    return waits.waited_ns if waits.waited_ns == waits.turned_ns != 0 else max(at_ns, waits.waited_ns)


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
