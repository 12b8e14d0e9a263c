"""Requests to a server, from arrival to the last byte or token of the answer."""

import os
import sys
from stat import S_ISSOCK
from time import clock_getres, monotonic_ns

from . import _recorder
from ._handover import waits
from ._signals import pass_on
from ._spool_format import REQUEST_FIRST_NS_WORD

NAME_LIMIT = 500
WORD_LIMIT = 2000  # parts of paths that are known to be words
TOKEN_LIMIT = 4000  # tokens of one request; the times of further ones are not kept

IPPROTO_TCP, TCP_INFO = 6, 11  # linux/in.h, linux/tcp.h
LAST_DATA = slice(52, 56)  # tcpi_last_data_recv of struct tcp_info: milliseconds since the last data came
CLOCK_MONOTONIC_COARSE = 6  # linux/time.h
TICK_NS = int(1e9 * clock_getres(CLOCK_MONOTONIC_COARSE))  # the kernel counts them in ticks of 1 to 10 ms
LONGEST_MS = 600_000

_names = set()
_words = {}
_routes = {}


class Request:
    """One request. All methods fail open, and do nothing once it has ended."""

    __slots__ = ("recorder", "word", "first_ns", "last_ns", "items", "gaps_us", "began_ns", "fd")

    def __init__(self, name, ident="", arrival_ns=0, handled=False, fd=None):
        """``ident``: the server's own id; without one the reader numbers the request within its process. ``handled``: what
        answers it is called now. ``fd``: the socket that gets the answer."""
        self.recorder, self.word, self.first_ns, self.last_ns, self.items = _recorder.current, 0, 0, 0, 0
        self.gaps_us, self.began_ns, self.fd = [], monotonic_ns(), fd
        try:
            if self.recorder is not None:
                waited_us = (self.began_ns - arrival_ns) // 1000 if handled and arrival_ns else 0
                self.word = self.recorder.request(name, ident, arrival_ns or self.began_ns, waited_us)
        except Exception as error:
            pass_on(error)

    def answered(self, items=1, first=True, sent=False):
        """Counts tokens or chunks of the answer when they are sent; those of one call are sent together. ``sent``: they
        were sent just now."""
        self.items += items
        if not first or not (items or not self.first_ns):
            return
        now_ns = max(self._sent_ns(), self.last_ns) if sent else monotonic_ns()
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

    def _sent_ns(self):
        """When the calling thread last sent a part of this answer, now if it did not."""
        return waits.sent_ns if self.fd == waits.sent_fd and waits.sent_ns > self.began_ns else monotonic_ns()

    def end(self, detail="", name=""):
        word, self.word = self.word, 0
        try:
            if word:
                if self.gaps_us and not detail:
                    detail = '{"gaps_us":[%s]}' % ",".join(map(str, self.gaps_us))
                self.recorder.end_request(word, max(self._sent_ns(), self.last_ns), self.first_ns, self.items, detail, name)
        except Exception as error:
            pass_on(error)


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


class _Peers:
    """Descriptors of connections that native code reads, by (address, port) of their other end."""

    def __init__(self):
        self.known, self.next_search_ns = {}, 0

    def arrived_ns(self, peer):
        """``arrived_ns`` of a connection by gRPC's name of its other end, such as ``ipv4:127.0.0.1:4711``; of several calls on
        it, the last one's. Now, if it is not found. The search takes at most a hundredth of the time."""
        now_ns, key = monotonic_ns(), None
        try:
            address, _, port = peer.partition(":")[2].replace("%5B", "").replace("%5D", "").rpartition(":")
            key = address, int(port)
            if key not in self.known and now_ns > self.next_search_ns:
                self.known = dict(filter(None, map(self._peer, map(int, os.listdir("/proc/self/fd")))))
                self.next_search_ns = 100 * (monotonic_ns() - now_ns) + now_ns
            peer, at_ns = self._with(self.known[key], lambda sock: (_peer_of(sock), arrived_ns(sock)))
            if peer == key:
                return min(at_ns, now_ns)
        except (OSError, KeyError, ValueError) as error:  # no TCP, or closed
            pass_on(error)
        self.known.pop(key, None)
        return now_ns

    def _peer(self, fd):
        try:
            return self._with(fd, lambda sock: (_peer_of(sock), fd)) if S_ISSOCK(os.fstat(fd).st_mode) else None
        except OSError as error:
            pass_on(error)
            return None

    def _with(self, fd, use):
        import _socket

        sock = _socket.socket(fileno=os.dup(fd))
        try:
            return use(sock)
        finally:
            sock.close()


def _peer_of(sock):
    """(address, port); a socket for both versions of IP has addresses of IPv4 in its own notation."""
    address, port = sock.getpeername()[:2]
    return address.replace("::ffff:", ""), port


peers = _Peers()


def route_name(method, path):
    """``GET /v1/models``: without host and query; a part of the path that may be an id, a name or a secret is ``*``.
    Only the method once a process has seen 500 different names."""
    key = method, path = str(method), str(path)
    known = _routes.get(key)
    if known is None:
        known = _route_name(method, path)
        if len(_routes) < WORD_LIMIT and len(path) < NAME_LIMIT:
            _routes[key] = known
    return known


def _route_name(method, path):
    name = "%s %s" % (method, path.partition("?")[0].partition("#")[0])
    if "://" in name:
        name = "%s /%s" % (method, name.partition("://")[2].partition("/")[2])
    name = "/".join([part if _is_word(part) else "*" for part in name.split("/")])
    if name not in _names:
        if len(_names) >= NAME_LIMIT:
            return method
        _names.add(name)
    return name


def _is_word(part):
    """Whether a part of a path looks like a fixed word: ``v1``, ``chat``, ``gpt-4o``, ``{item}``."""
    known = _words.get(part)
    if known is None:
        digits = sum(letter.isdigit() for letter in part)
        plain = part.isascii() and all(letter.isalnum() or letter in "-_.{}: " for letter in part)
        known = plain and len(part) <= 32 and digits <= 2 and (digits < len(part) or not part)
        if known and len(_words) < WORD_LIMIT:
            _words[part] = known
    return known
