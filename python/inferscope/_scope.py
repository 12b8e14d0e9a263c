"""scope() and mark_event(): annotations by the program itself."""

from __future__ import annotations

import sys
from time import monotonic_ns

from . import _recorder
from ._recorder import USER_SPAN_HEADER, get_ident
from ._signals import pass_on
from ._spool_format import SPAN_END_NS_WORD, SPAN_FAILED

TYPE_CHECKING = False  # As typing's, which every interpreter would have to load.
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Function = TypeVar("Function")

METADATA_LIMIT_BYTES = 4096
_COROUTINE, _ASYNC_GENERATOR, _GENERATOR = 0x80, 0x200, 0x20
_SUSPENDED_BY_LOOP = _COROUTINE | _ASYNC_GENERATOR


class scope:
    """Names a part of the program: ``with scope("tokenization"):``, ``async with``, or ``@scope("tokenization")``.

    Works as a context manager and as a decorator of functions, coroutine functions and generators (an asynchronous
    generator is returned as it is). In a coroutine the stretches in which its task ran are recorded, and the whole as a
    request; in a greenlet, too. One object may be entered again while it is open, and from several threads and tasks. A part left by an
    exception is marked so; the exception is never touched. Start and end are CLOCK_MONOTONIC nanoseconds. Without
    ``inferscope run`` it does nothing: entering and leaving take well under a microsecond, and a decorator returns the
    function unchanged. It raises no errors of its own.
    """

    __slots__ = ("name", "_open")

    def __init__(self, name: str) -> None:
        self.name = name
        self._open = None if _recorder.current is None else []

    def __enter__(self) -> scope:
        return self._enter(sys._getframe(1))

    def __exit__(self, error_type: Any, error: Any, traceback: Any) -> None:
        if self._open:
            self._leave(error_type is not None)

    async def __aenter__(self) -> scope:
        return self._enter(sys._getframe(1))

    async def __aexit__(self, error_type: Any, error: Any, traceback: Any) -> None:
        if self._open:
            self._leave(error_type is not None)

    def _enter(self, frame):
        recorder = _recorder.current
        if recorder is not None and self._open is not None:
            try:
                if frame.f_code.co_flags & _SUSPENDED_BY_LOOP:
                    from . import _tasks

                    task = _tasks.current_task()
                    part = _tasks.Part(recorder, self.name, frame, task)
                    self._open.append((recorder, part, get_ident() if task is None else id(task)))
                elif "greenlet" in sys.modules and self._in_greenlet(recorder, frame):
                    pass
                else:
                    word = recorder.begin(self.name, 0, frame, USER_SPAN_HEADER)
                    self._open.append((recorder, word, get_ident()))
            except Exception as error:
                pass_on(error)
                _count_loss(recorder)
        return self

    def _in_greenlet(self, recorder, frame):
        from . import _tasks

        greenlet = _tasks.current_greenlet()
        if greenlet is None:
            return False
        self._open.append((recorder, _tasks.Part(recorder, self.name, frame, greenlet, True), id(greenlet)))
        return True

    def _leave(self, failed):
        end_ns = monotonic_ns()
        try:
            recorder, word, owner = self._open.pop()
            if self._open:
                recorder, word = self._swap_for_own((recorder, word, owner))[:2]
            if type(word) is not int:
                word.close(failed)
            elif word:
                recorder.words[word + SPAN_END_NS_WORD] = end_ns
                if failed:
                    recorder.words[word] = USER_SPAN_HEADER | SPAN_FAILED
        except Exception as error:
            pass_on(error)

    def _swap_for_own(self, entry):
        """Finds the innermost entry of the calling thread or task if another one's may be on top."""
        tasks = sys.modules.get("inferscope._tasks")
        own = tasks.owners() if tasks else (get_ident(),)
        if entry[2] in own:
            return entry
        for other in reversed(self._open):
            if other[2] in own:
                self._open.remove(other)
                self._open.append(entry)
                return other
        return entry

    def __call__(self, function: Function) -> Function:
        if self._open is None:
            return function
        return _decorate(function, self.name)


def _count_loss(recorder):
    try:
        recorder.spool.drop()
    except Exception as error:
        pass_on(error)


def _decorate(function, name):
    import functools

    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & _COROUTINE:
        async def wrapper(*args, **kwargs):
            with scope(name):
                return await function(*args, **kwargs)
    elif flags & _ASYNC_GENERATOR:
        return function
    elif flags & _GENERATOR:
        def wrapper(*args, **kwargs):
            with scope(name):
                return (yield from function(*args, **kwargs))
    else:
        def wrapper(*args, **kwargs):
            with scope(name):
                return function(*args, **kwargs)
    return functools.wraps(function)(wrapper)


def mark_event(name: str, metadata: Any = None) -> None:
    """Records that something happened now, on the calling thread, at a CLOCK_MONOTONIC nanosecond.

    ``metadata`` is anything json can write; what it cannot is replaced by its type's name, and more than 4096 bytes by
    a note of their size. Raises nothing; without ``inferscope run`` it does nothing.
    """
    recorder = _recorder.current
    if recorder is None:
        return
    try:
        recorder.mark(name, _to_json(metadata), METADATA_LIMIT_BYTES)
    except Exception as error:
        pass_on(error)
        _count_loss(recorder)


mark = mark_event


def _to_json(metadata):
    if metadata is None:
        return ""
    try:
        import json

        text = json.dumps(metadata, default=lambda value: type(value).__name__, sort_keys=True)
    except Exception as error:
        pass_on(error)
        text = '{"unreadable":"%s"}' % type(error).__name__
    size_bytes = len(text.encode("utf-8", "replace"))
    return text if size_bytes <= METADATA_LIMIT_BYTES else '{"truncated":true,"size_bytes":%d}' % size_bytes
