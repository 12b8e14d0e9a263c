"""Records coroutines, generators and asynchronous generators: one span per interval in which the code ran.

A span over the whole call would also cover other code that ran on the thread while this code was suspended.
"""

import sys
from time import monotonic_ns

from . import _recorder
from ._recorder import _local
from ._spool_format import SPAN_CONTINUED, SPAN_HEADER

PIECE_MIN_NS = 20_000  # shorter intervals are mostly the event loop's work; only a call's last one is recorded


class _Open(_local):
    """Per thread: whether a group has an open call."""

    def __init__(self):
        self.groups = {}


open_calls = _Open()


class Pieces:
    """One call: the name of its spans, and the place that it was called from."""

    __slots__ = ("name", "activity", "group", "state", "where_id", "began_ns", "recorder")

    def __init__(self, hook, state, args, kwargs, frame):
        self.recorder = _recorder.current
        self.name = hook.name if type(hook.name) is str else hook.name(args, kwargs)
        self.activity, self.group, self.state = hook.activity, hook.group, state
        self.where_id = self.recorder.where.find(frame)
        self.began_ns = 0
        state.recorded += 1

    def enter(self):
        """Returns the start of an interval, or 0 inside another recorded call of the group."""
        if not self.group:
            return monotonic_ns()
        groups = open_calls.groups
        if groups.get(self.group):
            return 0
        groups[self.group] = True
        return monotonic_ns()

    def leave(self, start_ns, ends=False):
        """``ends``: whether the call is over."""
        if not start_ns:
            return
        open_calls.groups[self.group] = False
        try:
            end_ns = monotonic_ns()
            began_ns = self.began_ns
            self.began_ns = began_ns or start_ns
            if (end_ns - start_ns >= PIECE_MIN_NS or began_ns and ends) and _recorder.current is self.recorder:
                header = SPAN_HEADER | SPAN_CONTINUED if began_ns else SPAN_HEADER
                self.recorder.span(self.name, self.activity, start_ns, end_ns, began_ns, header, self.where_id)
        except Exception as error:
            self.state.failed(error)


def drive(code, pieces, ends=True):
    """A generator that runs ``code`` (anything with send and throw) and passes everything through both ways.

    ``ends``: whether the recorded call is over when ``code`` is."""
    value = error = None
    while True:
        start_ns, over = pieces.enter(), ends
        try:
            given = code.send(value) if error is None else code.throw(error)
            over = False
        except StopIteration as stop:
            return stop.value
        finally:
            pieces.leave(start_ns, over)
        value = error = None
        try:
            value = yield given
        except GeneratorExit:
            code.close()
            raise
        except BaseException as thrown:
            error = thrown


class _Awaitable:
    """An awaitable that runs another coroutine in pieces."""

    __slots__ = ("code", "pieces", "ends")

    def __init__(self, code, pieces, ends=True):
        self.code, self.pieces, self.ends = code, pieces, ends

    def __await__(self):
        code = self.code
        return drive(code if hasattr(code, "send") else code.__await__(), self.pieces, self.ends)


def _begin(hook, state, args, kwargs, frame):
    """Returns the call's Pieces, or None when it is not recorded."""
    if state.off or _recorder.current is None:
        return None
    try:
        if hook.when and not hook.when(args, kwargs):
            return None
        return Pieces(hook, state, args, kwargs, frame)
    except Exception as error:
        state.failed(error)
        return None


def wrap_coroutine(original, hook, state):
    async def wrapper(*args, **kwargs):
        pieces = _begin(hook, state, args, kwargs, sys._getframe().f_back)
        if pieces is None:
            return await original(*args, **kwargs)
        return await _Awaitable(original(*args, **kwargs), pieces)

    return wrapper


def wrap_generator(original, hook, state):
    def wrapper(*args, **kwargs):
        pieces = _begin(hook, state, args, kwargs, sys._getframe().f_back)
        if pieces is None:
            return (yield from original(*args, **kwargs))
        return (yield from drive(original(*args, **kwargs), pieces))

    return wrapper


def wrap_async_generator(original, hook, state):
    def begin(args, kwargs, frame):
        return original(*args, **kwargs), _begin(hook, state, args, kwargs, frame), None, None

    return relaying(begin)


def relaying(begin):
    """An asynchronous generator function that relays everything to and from another one.

    ``begin(args, kwargs, frame)`` returns that generator, the Pieces to record its intervals (or None), ``each(item)``
    which receives the items (or None), and a function to call at the end (or None)."""
    async def wrapper(*args, **kwargs):
        source, pieces, each, finish = begin(args, kwargs, sys._getframe().f_back)
        try:
            step = source.__anext__()
            while True:
                try:
                    item = await (step if pieces is None else _Awaitable(step, pieces, False))
                except StopAsyncIteration:
                    return
                if each is not None:
                    each(item)
                try:
                    value = yield item
                except GeneratorExit:
                    await source.aclose()
                    raise
                except BaseException as thrown:
                    step = source.athrow(thrown)
                else:
                    step = source.__anext__() if value is None else source.asend(value)
        finally:
            if finish is not None:
                finish()

    return wrapper


WRAPPERS = ((0x200, wrap_async_generator), (0x80, wrap_coroutine), (0x20, wrap_generator))
