"""Hand-overs between threads: conditions and what is built on them, queues, futures, start and join.

A condition's notify is recorded only if a thread waits, so that other calls cost almost nothing. Events, barriers,
semaphores and the feeder of multiprocessing.Queue all wait on conditions; the calling code shows which. Item numbers:
queue.Queue counts under its own lock; queues with another order than first-in-first-out are not counted.
"""

import sys
from time import monotonic_ns

from .. import _recorder
from .._handover import both, give, next_serial, serial, started, take, waits
from .._hook import Hook
from .._signals import pass_on
from .._spool_format import EVENT, FUTURE, GIVES, QUEUE, START, TAKES

BRIEF_NS = 2_000_000_000
SKIP = (0, "")  # recorded elsewhere

# (end of the file's path, function that called wait or notify): means and name
CALLERS = {
    ("threading.py", "set"): (EVENT, "Event"),
    ("threading.py", "wait"): (EVENT, "Event"),
    ("threading.py", "acquire"): (EVENT, "Semaphore"),
    ("threading.py", "release"): (EVENT, "Semaphore"),
    ("threading.py", "_wait"): (EVENT, "Barrier"),
    ("threading.py", "_enter"): (EVENT, "Barrier"),
    ("threading.py", "_release"): (EVENT, "Barrier"),
    ("queue.py", "get"): (QUEUE, "Queue: room"),
    ("queue.py", "put"): (QUEUE, "Queue: room"),
    ("queue.py", "task_done"): (QUEUE, "Queue: all done"),
    ("queue.py", "join"): (QUEUE, "Queue: all done"),
    ("multiprocessing/queues.py", "put"): (QUEUE, "multiprocessing.Queue: feeder"),
    ("multiprocessing/queues.py", "_feed"): (QUEUE, "multiprocessing.Queue: feeder"),
    ("futures/_base.py", "result"): SKIP,
    ("futures/_base.py", "exception"): SKIP,
    ("futures/_base.py", "set_result"): SKIP,
    ("futures/_base.py", "set_exception"): SKIP,
}
_FILES = tuple({suffix for suffix, _ in CALLERS})
_known = {}


def _caller(frame):
    """(means, name) of the code that called a condition's method; looks through the condition's own methods. Native code
    has no frame: None."""
    if frame is None:
        return EVENT, "Condition"
    while frame.f_code.co_name in ("notify_all", "notifyAll", "wait_for") and frame.f_back is not None:
        frame = frame.f_back
    code = frame.f_code
    entry = _known.get(id(code))
    if entry is None:
        suffix = next((one for one in _FILES if code.co_filename.endswith("/" + one)), "")
        entry = _known[id(code)] = CALLERS.get((suffix, code.co_name), (EVENT, "Condition")), code
    return entry[0]


def wrap_notify(original, hook, state):
    def notify(self, n=1):
        if getattr(self, "_waiters", None) and _recorder.current is not None:
            try:
                frame = sys._getframe().f_back
                means, name = _caller(frame)
                if name and not (name == "Queue: room" and frame.f_code.co_name == "put"):
                    give(means, name, id(self) ^ _recorder.current.salt, 0, frame)
            except Exception as error:
                state.failed(error)
        return original(self, n)

    return notify


def wrap_wait(original, hook, state):
    def wait(self, *args, **kwargs):
        recorder = _recorder.current
        if recorder is None:
            return original(self, *args, **kwargs)
        began_ns = monotonic_ns()
        woken = original(self, *args, **kwargs)
        try:
            if woken:
                frame = sys._getframe().f_back
                means, name = _caller(frame)
                if name and not (name == "Queue: room" and frame.f_code.co_name == "get"):
                    take(means, name, id(self) ^ recorder.salt, 0, began_ns, frame)
        except Exception as error:
            state.failed(error)
        return woken

    return wait


class _Counted:
    """Items that went through a queue since the recorder first observed it; ``exact``: 1 if the recorder observed all
    items in order, otherwise 0."""

    __slots__ = ("recorder", "key", "puts", "gets", "exact")

    def __init__(self, recorder, queue, taken):
        self.recorder, self.key = recorder, next_serial() ^ recorder.salt
        self.puts = self.gets = 0
        kind = type(queue)
        fifo = all(getattr(getattr(kind, name), "_inferscope_fifo", False) for name in ("_put", "_get"))
        self.exact = int(fifo and not queue._qsize() + taken)


def _count(queue, recorder, taken=0):
    counted = queue._inferscope_items = _Counted(recorder, queue, taken)
    return counted


def wrap_put_item(original, hook, state):
    """Around ``_put``, which the queue calls under its lock: only there the order is certain."""
    def _put(self, item):
        recorder = _recorder.current
        if recorder is not None:
            try:
                counted = self.__dict__.get("_inferscope_items")
                if counted is None or counted.recorder is not recorder:
                    counted = _count(self, recorder)
                counted.puts = number = counted.puts + 1
                recorder.hand_over(GIVES, QUEUE, "Queue", counted.key, number * counted.exact, monotonic_ns(), 0, sys._getframe(1).f_back)
            except Exception as error:
                state.failed(error)
        return original(self, item)

    _put._inferscope_fifo = hook.path.startswith("Queue.")
    return _put


def wrap_get_item(original, hook, state):
    def _get(self):
        item = original(self)
        recorder = _recorder.current
        if recorder is not None:
            try:
                counted = self.__dict__.get("_inferscope_items")
                if counted is None or counted.recorder is not recorder:
                    counted = _count(self, recorder, 1)
                counted.gets = number = counted.gets + 1
                now_ns = monotonic_ns()
                recorder.hand_over(TAKES, QUEUE, "Queue", counted.key, number * counted.exact, now_ns, waits.began_ns or now_ns, sys._getframe(1).f_back)
            except Exception as error:
                state.failed(error)
        return item

    _get._inferscope_fifo = hook.path.startswith("Queue.")
    return _get


def wrap_outer_get(original, hook, state):
    """Around a ``get`` that waits: stores the begin of the wait for the inner function that takes the item."""
    def get(self, *args, **kwargs):
        waits.began_ns = monotonic_ns()
        try:
            return original(self, *args, **kwargs) if kwargs else original(self, *args)
        finally:
            waits.began_ns = 0

    return get


def wrap_work_item(original, hook, state):
    def __init__(self, future, *args, **kwargs):
        try:
            if _recorder.current is not None:
                give(FUTURE, "Executor.submit", serial(future) ^ _recorder.current.salt, 1, sys._getframe().f_back)
        except Exception as error:
            state.failed(error)
        return original(self, future, *args, **kwargs)

    return __init__


def wrap_work_run(original, hook, state):
    def run(self, *args, **kwargs):
        try:
            if _recorder.current is not None:
                take(FUTURE, "Executor.submit", serial(self.future) ^ _recorder.current.salt, 1, waits.idle_ns, None)
        except Exception as error:
            state.failed(error)
        try:
            return original(self, *args, **kwargs)
        finally:
            waits.idle_ns = monotonic_ns()

    return run


def wrap_set_result(original, hook, state):
    def set_result(self, *args, **kwargs):
        try:
            if _recorder.current is not None and self._condition._waiters:
                give(FUTURE, "Future", ~serial(self) & 0xFFFFFFFFFFFFFFFF ^ _recorder.current.salt, 1, sys._getframe().f_back)
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return set_result


def wrap_result(original, hook, state):
    """Records only results that were waited for."""
    def result(self, *args, **kwargs):
        if _recorder.current is None or self._state not in ("PENDING", "RUNNING"):
            return original(self, *args, **kwargs)
        began_ns = monotonic_ns()
        try:
            return original(self, *args, **kwargs)
        finally:
            try:
                if self._state == "FINISHED":
                    take(FUTURE, "Future", ~serial(self) & 0xFFFFFFFFFFFFFFFF ^ _recorder.current.salt, 1, began_ns, sys._getframe().f_back)
            except Exception as error:
                state.failed(error)

    return result


def wrap_thread_start(original, hook, state):
    """Records the name of every thread at its start, including threads that never open a span."""
    def start(self, *args, **kwargs):
        self.__dict__["_inferscope_began_ns"] = began_ns = monotonic_ns()
        result = original(self, *args, **kwargs)
        try:
            if _recorder.current is not None:
                _recorder.current.name_thread(self.native_id, self.name, self.ident)
                started(START, "Thread.start", began_ns, sys._getframe().f_back, self.native_id)
        except Exception as error:
            state.failed(error)
        return result

    return start


def wrap_thread_delete(original, hook, state):
    """Around the last call of a thread's own Python. Whoever looks from outside now and then may never see a brief
    thread."""
    def _delete(self, *args, **kwargs):
        try:
            began_ns = self.__dict__.get("_inferscope_began_ns", 0)
            if began_ns and _recorder.current is not None and monotonic_ns() - began_ns < BRIEF_NS:
                _recorder.current.thread_ends(began_ns)
        except OSError as error:
            pass_on(error)
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return _delete


def wrap_thread_join(original, hook, state):
    def join(self, *args, **kwargs):
        began_ns = 0
        try:
            if _recorder.current is not None and self.is_alive():
                began_ns = monotonic_ns()
        except Exception as error:
            state.failed(error)
        result = original(self, *args, **kwargs)
        try:
            if began_ns and self.native_id and not self.is_alive():
                both(START, "Thread.join", began_ns, sys._getframe().f_back, self.native_id)
        except Exception as error:
            state.failed(error)
        return result

    return join


def compiled():
    return "a compiled type, whose methods cannot be replaced: its hand-overs are not seen"


HOOKS = (
    Hook("threading", "Thread.start", wrap=wrap_thread_start),
    Hook("threading", "Thread.join", wrap=wrap_thread_join),
    Hook("threading", "Thread._delete", wrap=wrap_thread_delete),
    Hook("threading", "Condition.notify", wrap=wrap_notify),
    Hook("threading", "Condition.wait", wrap=wrap_wait),
    Hook("queue", "Queue.get", wrap=wrap_outer_get),
    Hook("queue", "Queue._put", wrap=wrap_put_item),
    Hook("queue", "Queue._get", wrap=wrap_get_item),
    Hook("queue", "LifoQueue._put", wrap=wrap_put_item),
    Hook("queue", "LifoQueue._get", wrap=wrap_get_item),
    Hook("queue", "PriorityQueue._put", wrap=wrap_put_item),
    Hook("queue", "PriorityQueue._get", wrap=wrap_get_item),
    Hook("queue", "SimpleQueue.get", needs=compiled),
    Hook("concurrent.futures.thread", "_WorkItem.__init__", wrap=wrap_work_item),
    Hook("concurrent.futures.thread", "_WorkItem.run", wrap=wrap_work_run),
    Hook("concurrent.futures._base", "Future.set_result", wrap=wrap_set_result),
    Hook("concurrent.futures._base", "Future.set_exception", wrap=wrap_set_result),
    Hook("concurrent.futures._base", "Future.result", wrap=wrap_result),
    Hook("concurrent.futures._base", "Future.exception", wrap=wrap_result),
)
