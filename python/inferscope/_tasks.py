"""Scopes inside coroutines and greenlets: others run while one is suspended, so a scope becomes one span per
interval in which its task or greenlet ran, and a REQUEST for the whole scope if it was ever suspended.

The intervals of coroutines are found in asyncio's own loop, which runs every callback through Handle._run. With another
loop (uvloop, trio) only the whole scope is recorded. Switches of greenlets are reported to the thread's trace function.
"""

import sys
from _weakref import ref
from time import monotonic_ns

from . import _recorder
from ._hook import Hook
from ._recorder import USER_SPAN_HEADER, _local, get_ident
from ._spool_format import SPAN_ACTIVITY_WORD, SPAN_CONTINUED, SPAN_FAILED, SPAN_VALUE_WORD
from ._requests import Request
from ._signals import pass_on


class _Step(_local):
    """The current callback of the thread's loop: ``tasks`` are its tasks that opened a scope, None outside of a
    callback. ``traced``: whether the thread's switches of greenlets are seen."""

    tasks = None
    traced = False


_step = _Step()
_parts = {}  # id of a task or greenlet: (the task, or a weak reference to the greenlet; its open parts, outermost first)


class Part:
    """One open scope of a task."""

    __slots__ = ("recorder", "name", "start_ns", "where", "word", "header", "request", "key")

    def __init__(self, recorder, name, frame, task, is_greenlet=False):
        self.recorder, self.name, self.key = recorder, name, id(task)
        self.start_ns, self.request, self.header = monotonic_ns(), None, USER_SPAN_HEADER
        self.word = 0
        if task is None:
            self.request = Request(name, arrival_ns=self.start_ns)
            return
        self.word = recorder.begin(name, 0, frame, USER_SPAN_HEADER)
        self.where = recorder.words[self.word + SPAN_ACTIVITY_WORD] if self.word else 0
        if self.key not in _parts:
            _parts[self.key] = _until_collected(task) if is_greenlet else task, []
        _parts[self.key][1].append(self)
        if not is_greenlet:
            _step.tasks.add(self.key)

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
            self.recorder.words[self.word + SPAN_VALUE_WORD] = self.start_ns

    def close(self, failed):
        if self.word:
            self.recorder.end(self.word, monotonic_ns())
            if failed:
                self.recorder.words[self.word] = self.header | SPAN_FAILED
        if self.request is not None:
            self.request.end('{"scope":true,"failed":true}' if failed else '{"scope":true}')
        parts = _parts.get(self.key, (None, []))[1]
        if self in parts:
            parts.remove(self)
        if not parts:
            _parts.pop(self.key, None)


def current_task():
    """The task that runs on this thread in a loop whose steps are observed, otherwise None."""
    tasks = sys.modules.get("asyncio.tasks")
    if tasks is None or _step.tasks is None:
        return None
    try:
        return tasks.current_task()
    except RuntimeError as error:
        pass_on(error)
        return None


def _until_collected(greenlet):
    """A weak reference that drops the greenlet's parts when the greenlet is gone: another one may get its address."""
    key = id(greenlet)
    return ref(greenlet, lambda gone: _parts.pop(key, None))


class _Trace:
    """The thread's trace function of greenlets. ``before``: the program's own one, whose errors remain its own."""

    __slots__ = ("before",)

    def __init__(self, before):
        self.before = before

    def __call__(self, event, args):
        try:
            if _parts:
                origin, target = args
                for part in reversed(_parts[id(origin)][1]) if id(origin) in _parts else ():
                    part.suspend()
                for part in _parts[id(target)][1] if id(target) in _parts else ():
                    part.resume()
        except Exception as error:
            pass_on(error)  # Any other would be raised in the program.
        if self.before is not None:
            self.before(event, args)


def current_greenlet():
    """The greenlet that runs on this thread; None in the thread's first one, and if a module of that name is not the
    library greenlet. Its switches are seen from now on, unless the program has since set a trace function of its own
    that does
    not call the one before: setting another one again could make the two call each other for ever."""
    greenlet = sys.modules.get("greenlet")
    try:
        current = greenlet.getcurrent()
        if current.parent is None:
            return None
        before = greenlet.gettrace()
        if type(before) is not _Trace and (before is None or not _step.traced):
            greenlet.settrace(_Trace(before))
            _step.traced = True
        return current
    except Exception as error:
        pass_on(error)
        return None


def owners():
    """The identities of the current thread, task and greenlet: a scope that was entered here has one of them."""
    own = get_ident(), id(current_task())
    return own + (id(current_greenlet()),) if "greenlet" in sys.modules else own


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
