"""Hand-overs: records of giving and taking, so that a wait can be followed to the awaited thread.

Contents are not read. Keys have 64 bits and are equal on both sides: objects of one process are identified by their
address or a serial number, mixed with a salt of the process; pipes and sockets by the kernel's names.
"""

import os
from itertools import count
from time import monotonic_ns

from . import _recorder
from ._recorder import _local
from ._spool_format import GIVES, TAKES

MASK = 0xFFFFFFFFFFFFFFFF
PIPE_KEY, SOCKET_KEY, ZMQ_KEY = 0x5049504500000000, 0x534F434B00000000, 0x5A4D510000000000

next_serial = count(1 << 50).__next__


class _Waits(_local):
    """Per thread.

    ``began_ns``: the begin of its wait inside an outer call, 0 outside; ``idle_ns``: when it ran out of work items, 0
    before the first item; ``select_ns``, ``turned_ns``: begin and end of its last select; ``waited_ns``: the end of the last
    one in which its loop waited; ``next_await_ns``: from when on its loop's selects are examined again; ``unexamined_ns``:
    the sum of its loop's waits since they last were, and ``unexamined`` those of them that data ended; ``await_id``: the
    line that the last search found;
    ``poll_ns``, ``poll_end_ns``: begin and end of its last poll of ZeroMQ that found something; ``seen_ns``, ``seen_cpu_ns``:
    when its loop, of uvloop, last received from ZeroMQ, and its CPU time then;
    ``sent_ns``, ``sent_fd``: when it last sent on a socket, and on which: the data are the kernel's then, also if the
    thread waits for the GIL or a CPU afterwards; at the end of the call if there were more data than a socket holds;
    ``sent``: when its loop first sent to each key in this turn;
    ``inside``: whether it is inside a call whose parts are not recorded;
    ``awaited``: weak references to pairs of a future of asyncio and that of an executor which completes it, of which
    the done ones are dropped when there are ``prune_at``; ``foreign``: whether another thread has woken its loop
    without such a future since the loop began to run."""

    began_ns = idle_ns = select_ns = turned_ns = waited_ns = next_await_ns = unexamined_ns = 0
    poll_ns = poll_end_ns = seen_ns = seen_cpu_ns = sent_ns = 0
    sent_fd = -1
    inside = foreign = False
    awaited, prune_at = (), 64
    unexamined, await_id = (), 0

    def __init__(self):
        self.sent = {}


waits = _Waits()


def number_of(data):
    """32 bits from some bytes, the same in every process. Without a module of the library, which a hook may not import."""
    return int.from_bytes(data, "little") % 0xFFFFFFFB  # the largest prime of 32 bits


def mix(first, second):
    """One key from two numbers; their order matters."""
    return (first * 0x9E3779B97F4A7C15 ^ second * 0xC2B2AE3D27D4EB4F ^ second >> 7) & MASK


def serial(thing):
    """A number for the lifetime of an object that can have attributes. Addresses of short-lived objects are reused too
    soon."""
    known = thing.__dict__.get("_inferscope_serial")
    return known or thing.__dict__.setdefault("_inferscope_serial", next_serial())


def give(means, name, key, number, frame, time_ns=0):
    _recorder.current.hand_over(GIVES, means, name, key, number, time_ns or monotonic_ns(), 0, frame)


def take(means, name, key, number, began_ns, frame, ended_ns=0):
    """``ended_ns``: when the wait ended, if not now."""
    now_ns = ended_ns or monotonic_ns()
    _recorder.current.hand_over(TAKES, means, name, key, number, now_ns, began_ns or now_ns, frame)


def both(means, name, began_ns, frame, tid, pid=0):
    """A wait of the calling thread that ended because thread ``tid`` of process ``pid`` ended: no thread is
    left there to record the giving."""
    recorder, now_ns = _recorder.current, monotonic_ns()
    key = next_serial() ^ recorder.salt
    recorder.hand_over(GIVES, means, name, key, 1, now_ns, 0, None, tid, pid)
    recorder.hand_over(TAKES, means, name, key, 1, now_ns, began_ns, frame)


def started(means, name, time_ns, frame, tid, pid=0):
    """The calling thread started another, or a process."""
    recorder = _recorder.current
    key = next_serial() ^ recorder.salt
    recorder.hand_over(GIVES, means, name, key, 1, time_ns, 0, frame)
    recorder.hand_over(TAKES, means, name, key, 1, monotonic_ns(), time_ns, None, tid, pid)


def descriptor_keys(fd):
    """(key when giving, key when taking) of a pipe or a connected local socket, or None."""
    from stat import S_ISFIFO, S_ISSOCK

    status = os.fstat(fd)
    if S_ISFIFO(status.st_mode):
        return status.st_ino ^ PIPE_KEY, status.st_ino ^ PIPE_KEY
    if S_ISSOCK(status.st_mode):
        import socket

        with socket.socket(fileno=os.dup(fd)) as sock:
            return socket_keys(sock)
    return None


def socket_keys(sock):
    """(key when giving, key when taking) of a socket whose other end is on this machine, or None.

    Loopback: the two ports. Unix: the two inodes; the other end's comes from the kernel's socket diagnostics."""
    import _socket

    if sock.family in (_socket.AF_INET, _socket.AF_INET6):
        own, peer = sock.getsockname(), sock.getpeername()
        if not (peer[0].startswith(("127.", "::ffff:127.")) or peer[0] in ("::1", own[0])):
            return None
        own_id, peer_id = own[1], peer[1]
    elif sock.family == _socket.AF_UNIX:
        own_id = os.fstat(sock.fileno()).st_ino
        peer_id = unix_peer_inode(own_id)
        if not peer_id:
            return None
    else:
        return None
    return mix(own_id, peer_id) ^ SOCKET_KEY, mix(peer_id, own_id) ^ SOCKET_KEY


def unix_peer_inode(inode):
    """Inode of the socket at the other end, by NETLINK_SOCK_DIAG (linux/unix_diag.h: UNIX_DIAG_PEER = 2); 0 when
    unknown."""
    import _socket
    from _struct import pack, unpack_from

    netlink = _socket.socket(16, _socket.SOCK_RAW | _socket.SOCK_CLOEXEC, 4)
    try:
        netlink.settimeout(0.2)
        request = pack("=BBHIIIQ", _socket.AF_UNIX, 0, 0, MASK & 0xFFFFFFFF, inode, 4, MASK)
        netlink.send(pack("=IHHII", 16 + len(request), 20, 1, 1, 0) + request)
        answer = netlink.recv(4096)
    finally:
        netlink.close()
    if unpack_from("=H", answer, 4)[0] != 20:
        return 0
    at, end = 32, unpack_from("=I", answer)[0]
    while at + 8 <= end:
        size, kind = unpack_from("=HH", answer, at)
        if kind == 2:
            return unpack_from("=I", answer, at + 4)[0]
        at += max(4, size + 3 & ~3)
    return 0
