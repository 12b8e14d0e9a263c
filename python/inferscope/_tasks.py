"""Scopes inside coroutines: other tasks run on the thread while one is suspended, so a scope becomes one span per
stretch in which its task ran, and a REQUEST for the whole of it once it was suspended.

The stretches are those of asyncio's own loop, of which every callback passes Handle._run. Under another loop (uvloop,
trio) only the whole is recorded.
"""

import sys
from _thread import _local, get_ident
from time import monotonic_ns

from . import _recorder
from ._hook import Hook
from ._recorder import USER_SPAN_HEADER
from ._spool_format import SPAN_ACTIVITY_WORD, SPAN_CONTINUED, SPAN_FAILED
from ._requests import Request


class _Step(_local):
    """The callback that the thread's loop is running: the tasks in it that opened a scope, None outside of one."""

    tasks = None


_step = _Step()
_parts = {}  # id of a task: (the task, its open parts, outermost first)


class Part:
    """One open scope of a task."""

    __slots__ = ("recorder", "name", "start_ns", "where", "word", "header", "request", "task")

    def __init__(self, recorder, name, frame, task):
        self.recorder, self.name, self.task = recorder, name, task
        self.start_ns, self.request, self.header = monotonic_ns(), None, USER_SPAN_HEADER
        self.word = 0
        if task is None:
            self.request = Request(name, arrival_ns=self.start_ns)
            return
        self.word = recorder.begin(name, 0, frame, USER_SPAN_HEADER)
        self.where = recorder.words[self.word + SPAN_ACTIVITY_WORD] if self.word else 0
        _parts.setdefault(id(task), (task, []))[1].append(self)
        _step.tasks.add(id(task))

    def suspend(self):
        if self.word:
            self.recorder.end(self.word, monotonic_ns())
            self.word = 0
        if self.request is None:
            self.request = Request(self.name, arrival_ns=self.start_ns)

    def resume(self):
        self.header = USER_SPAN_HEADER | SPAN_CONTINUED
        self.word = self.recorder.begin(self.name, 0, None, self.header)
        if self.word:
            self.recorder.words[self.word + SPAN_ACTIVITY_WORD] = self.where

    def close(self, failed):
        if self.word:
            self.recorder.end(self.word, monotonic_ns())
            if failed:
                self.recorder.words[self.word] = self.header | SPAN_FAILED
        if self.request is not None:
            self.request.end('{"scope":true,"failed":true}' if failed else '{"scope":true}')
        if self.task is not None:
            parts = _parts.get(id(self.task), (None, []))[1]
            if self in parts:
                parts.remove(self)
            if not parts:
                _parts.pop(id(self.task), None)


def current_task():
    """The task that runs on this thread in a loop whose steps are seen, else None."""
    tasks = sys.modules.get("asyncio.tasks")
    if tasks is None or _step.tasks is None:
        return None
    try:
        return tasks.current_task()
    except RuntimeError:
        return None


def owner():
    """What tells the tasks of one thread, and threads, apart."""
    task = current_task()
    return get_ident() if task is None else id(task)


def wrap_run(original, hook, state):
    def _run(self):
        if _recorder.current is None:
            return original(self)
        outer = _step.tasks
        try:
            task = id(getattr(self._callback, "__self__", None)) if _parts else 0
            _step.tasks = {task}
            for part in _parts[task][1] if task in _parts else ():
                part.resume()
        except Exception as error:
            state.failed(error)
        try:
            return original(self)
        finally:
            try:
                for task in _step.tasks & _parts.keys() if _parts else ():
                    for part in reversed(_parts[task][1]):
                        part.suspend()
            except Exception as error:
                state.failed(error)
            _step.tasks = outer

    return _run


HANDLE = Hook("asyncio.events", "Handle._run", wrap=wrap_run)
