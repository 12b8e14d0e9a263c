"""Hand-overs over ZeroMQ, which vLLM and SGLang use between their processes.

Both ends know the endpoint; the end that bound it decides the direction. A socket with several endpoints has no single
other end and is left out. Asynchronous sockets send and receive through plain ones that share the underlying socket.

A wait begins with the call that receives, with the poll that returned just before it, or with the select of asyncio's
loop. uvloop's loop waits in compiled code: there the wait is as long as the thread was off its CPU since it received
last, and ends with the message.
"""

import sys
from time import monotonic_ns, thread_time_ns

from .. import _recorder
from .._handover import ZMQ_KEY, number_of, take, waits
from .._hook import Hook
from .._signals import pass_on
from .._spool_format import SOCKET
from .socket_hooks import wrap_send

_LAST_ENDPOINT, _DONTWAIT = 32, 1  # zmq.h
_SOON_NS = 1_000_000  # A message that a poll announced is received within this time.
_endpoints = {}


def _address(sock):
    endpoint = sock.getsockopt(_LAST_ENDPOINT).rstrip(b"\0")
    scheme, _, place = endpoint.partition(b"://")
    return b"tcp:" + place.rpartition(b":")[2] if scheme == b"tcp" else endpoint


def _wrap_endpoint(bound):
    def wrap(original, hook, state):
        def endpoint(self, *args, **kwargs):
            result = original(self, *args, **kwargs)
            try:
                key = self.underlying
                number = ZMQ_KEY | number_of(_address(self))
                _endpoints[key] = None if key in _endpoints else (number ^ bound << 40, number ^ (not bound) << 40)
            except Exception as error:
                state.failed(error)
            return result

        return endpoint

    return wrap


def wrap_close(original, hook, state):
    def close(self, *args, **kwargs):
        try:
            _endpoints.pop(self.underlying, None)
        except Exception as error:
            pass_on(error)
        return original(self, *args, **kwargs)

    return close


def _keys(sock):
    return _endpoints.get(sock.underlying)


def _loop_waited_from(now_ns):
    """When the wait of an event loop began that ended with a message."""
    if waits.select_ns:
        began_ns, waits.select_ns = waits.select_ns, 0
        return began_ns
    if waits.turned_ns or "uvloop" not in sys.modules:
        return now_ns
    cpu_ns = thread_time_ns()
    off_ns = now_ns - waits.seen_ns - (cpu_ns - waits.seen_cpu_ns) if waits.seen_ns else 0
    waits.seen_ns, waits.seen_cpu_ns = now_ns, cpu_ns
    return now_ns - max(0, off_ns)


def wrap_poll(original, hook, state):
    def poll(self, *args, **kwargs):
        began_ns = monotonic_ns()
        events = original(self, *args, **kwargs)
        if events:
            waits.poll_ns, waits.poll_end_ns = began_ns, monotonic_ns()
        return events

    return poll


def wrap_receive(original, hook, state):
    def recv(self, *args, **kwargs):
        if _recorder.current is None:
            return original(self, *args, **kwargs)
        began_ns = monotonic_ns()
        message = original(self, *args, **kwargs)
        try:
            keys = _keys(self)
            if keys:
                if (args[0] if args else kwargs.get("flags", 0)) & _DONTWAIT:
                    began_ns = _loop_waited_from(began_ns)
                elif 0 <= began_ns - waits.poll_end_ns < _SOON_NS:
                    began_ns, waits.poll_end_ns = waits.poll_ns, 0
                take(SOCKET, "zmq", keys[1], 0, began_ns, sys._getframe().f_back)
        except Exception as error:
            state.failed(error)
        return message

    return recv


_MODULE = "zmq.sugar.socket"

HOOKS = (
    Hook(_MODULE, "Socket.bind", wrap=_wrap_endpoint(True)),
    Hook(_MODULE, "Socket.connect", wrap=_wrap_endpoint(False)),
    Hook(_MODULE, "Socket.close", wrap=wrap_close),
    Hook(_MODULE, "Socket.send", wrap=wrap_send("zmq", _keys)),
    Hook(_MODULE, "Socket.recv", wrap=wrap_receive),
    Hook("zmq.sugar.poll", "Poller.poll", wrap=wrap_poll),
)
