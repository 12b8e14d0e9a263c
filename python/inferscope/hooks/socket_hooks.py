"""Hand-overs over sockets to this machine; asyncio loops woken by other threads, waiting for a timer, and blocked.

The giver can be found only if the other end of a socket is local; all other sockets are ignored after one check. TLS
reads the descriptor without these methods and is not observed.
"""

import sys
from _weakref import ref
from gc import get_referents
from itertools import islice
from time import monotonic_ns, thread_time_ns

from .. import _recorder
from .._handover import give, socket_keys, take, waits
from .._hook import Hook
from .._signals import pass_on
from .._spool_format import AWAIT, EVENT, SOCKET, TIMER
from .._where import user_file

CACHE_LIMIT = 10000
HELD_BYTES = 16_384  # tcp_wmem of tcp(7): a call that sends no more does not wait for the client
LONG_TURN_NS = 50_000_000
AT_ONCE_NS = 2_000_000
SHORTEST_TIMER_NS = 1_000_000
SHORTEST_WAIT_NS = 200_000  # a select that finds something at once takes less
CLOCK_NS = 1_000_000
SHORTEST_AWAIT_NS = 2_000_000
MOST_TASKS = 256
MOST_UNEXAMINED = 64
_CHAIN = {"coroutine": ("cr_frame", "cr_await"), "generator": ("gi_frame", "gi_yieldfrom"), "async_generator": ("ag_frame", "ag_await")}
_WRAPPERS = ("coroutine_wrapper", "async_generator_asend", "async_generator_athrow")
SERVER_FILE = __file__.replace("socket_hooks", "server_hooks")  # its wrappers' frames are around the handling of a request
_NETWORK = ("/asyncio/streams.py", "/asyncio/selector_events.py", "/asyncio/base_events.py")

_LIMITERS = ("/asyncio/locks.py", "/asyncio/queues.py")

_known = {}


def _keys(sock):
    """(key when giving, key when taking), or None for a socket to another machine or one that is not connected."""
    entry = _known.get(id(sock))
    if entry is None or entry[0]() is not sock:
        try:
            keys = socket_keys(sock)
        except OSError as error:
            pass_on(error)
            return None
        if len(_known) >= CACHE_LIMIT:
            _known.clear()
        ident = id(sock)
        entry = _known[ident] = (ref(sock, lambda _: _known.pop(ident, None)), keys)
    return entry[1]


def wrap_send(name, keys_of, stream=False):
    """Makes a wrapper of a method that sends on a socket. ``keys_of(socket)``: (key when giving, key when taking), or None.
    ``stream``: whether it is the kernel's own."""
    def wrap(original, hook, state):
        def send(self, *args, **kwargs):
            try:
                keys = _recorder.current is not None and not waits.inside and keys_of(self)
                if keys:
                    give(SOCKET, name, keys[0], 0, sys._getframe().f_back)
                if stream:
                    waits.sent_ns, waits.sent_fd = monotonic_ns(), self.fileno()
                    if keys and waits.turned_ns:
                        waits.sent.setdefault(keys[0], waits.sent_ns)
            except Exception as error:
                state.failed(error)
            sent = original(self, *args, **kwargs)
            if stream and (not args or len(args[0]) > HELD_BYTES):
                waits.sent_ns = monotonic_ns()
            return sent

        return send

    return wrap


def wrap_receive(original, hook, state):
    def recv(self, *args, **kwargs):
        if _recorder.current is None or waits.inside:
            return original(self, *args, **kwargs)
        began_ns = monotonic_ns()
        got = original(self, *args, **kwargs)
        try:
            keys = got and _keys(self)
            if keys:
                ended_ns = 0
                if self.gettimeout() == 0 and waits.select_ns:
                    began_ns, ended_ns = _selected()
                take(SOCKET, "socket", keys[1], 0, began_ns, sys._getframe().f_back, ended_ns)
        except Exception as error:
            state.failed(error)
        return got

    return recv


def wrap_connect(original, hook, state):
    """A thread that waits in accept waits for this. The other end may accept before the call returns, so that its begin
    counts."""
    def connect(self, *args):
        began_ns = monotonic_ns()
        result = original(self, *args)
        try:
            keys = _recorder.current is not None and not waits.inside and _keys(self)
            if keys:
                give(SOCKET, "socket", keys[0], 0, sys._getframe().f_back, began_ns)
        except Exception as error:
            state.failed(error)
        return result

    return connect


def wrap_accept(original, hook, state):
    """The wait begins with the thread's last select, which a server uses to wait for connections."""
    def accept(self):
        if _recorder.current is None or waits.inside:
            return original(self)
        began_ns = monotonic_ns()
        accepted = original(self)
        try:
            keys = _keys(accepted[0])
            if keys:
                ended_ns = 0
                if waits.select_ns:
                    began_ns, ended_ns = _selected()
                take(SOCKET, "socket", keys[1], 0, began_ns, sys._getframe().f_back, ended_ns)
        except Exception as error:
            state.failed(error)
        return accepted

    return accept


def _selected():
    """Begin and end of the thread's last select, for the first of what it found; an end of 0 stands for now. What asyncio's
    loop runs before it comes to a descriptor is no wait for that."""
    began_ns, waits.select_ns = waits.select_ns, 0
    return began_ns, waits.turned_ns if waits.turned_ns > began_ns > 0 else 0


def wrap_select(original, hook, state):
    """Stores when the thread last began to wait for descriptors, and records long iterations of asyncio's loops and their
    waits for timers."""
    def select(self, *args, **kwargs):
        began_ns = waits.select_ns = monotonic_ns()
        got = original(self, *args, **kwargs)
        try:
            caller = sys._getframe().f_back
            if caller is not None and caller.f_code.co_name == "_run_once":
                _loop_selected(caller, began_ns, got, self)
        except Exception as error:
            state.failed(error)
        return got

    return select


def wrap_check_running(original, hook, state):
    """A loop calls this before it runs. The time since the thread's last loop ended is not a turn of the new loop, and
    a wake-up of the last loop, such as the end of its executor, does not count for the new one."""
    def _check_running(self):
        waits.turned_ns, waits.unexamined_ns, waits.foreign, waits.unexamined, waits.await_id = 0, 0, False, (), 0
        waits.ran_out, waits.timer_id = (), 0
        return original(self)

    return _check_running


def _loop_selected(frame, began_ns, got, selector):
    """Records an iteration of asyncio's loop that was long, and a wait for a timer. ``frame``: that of ``_run_once``."""
    ready, sent, waits.sent = len(got), waits.sent, {}
    turned_ns, waits.turned_ns = waits.turned_ns, monotonic_ns()
    if waits.turned_ns - began_ns > SHORTEST_WAIT_NS:
        waits.waited_ns = waits.turned_ns
    if _recorder.current is not None:
        may_search = waits.turned_ns > waits.next_await_ns
        if turned_ns and began_ns - turned_ns > LONG_TURN_NS and waits.turned_ns - began_ns < AT_ONCE_NS:
            _long_turn(frame, turned_ns, began_ns, any(_was_due(key, began_ns, sent) for key, _ in got))
        elif not ready and waits.turned_ns - began_ns > SHORTEST_TIMER_NS and not waits.foreign and not _awaits_threads():
            if len(selector.get_map()) == 1 or may_search and _awaits_timer(frame, selector):
                _timer_ran_out(frame, began_ns, waits.turned_ns)
                _examined(frame, began_ns, waits.turned_ns, may_search, False)
                return
            if may_search:
                waits.ran_out, waits.timer_id = (), 0
            elif len(waits.ran_out) < MOST_UNEXAMINED:
                waits.ran_out += ((began_ns, _due_ns(frame), waits.turned_ns),)
        _examined(frame, began_ns, waits.turned_ns, may_search, True, ready)


def _was_due(key, began_ns, sent):
    """Whether a descriptor may have been ready for long: not for what a task of the loop itself sent at the end of its
    turn. Who waits for that waits for the task."""
    reader = key.data[0]
    sock = getattr(getattr(reader._callback, "__self__", None), "_sock", None) if reader else None
    keys = _keys(sock) if sock is not None else None
    return began_ns - (sent.get(keys[1], 0) if keys else 0) > LONG_TURN_NS


def _examined(frame, began_ns, now_ns, may_search, answers, ready=0):
    """Records a wait of a loop at the line where most of its tasks await an answer from the network, and which limit most
    of its tasks wait for. The search takes at most a hundredth of the time: the next one comes a hundred times as long
    after it as it took. It stands for the waits since the last one: those that data ended are at its line, if the search
    before them found it too."""
    if now_ns - began_ns <= SHORTEST_AWAIT_NS:
        return
    waits.unexamined_ns += now_ns - began_ns
    if not may_search:
        if ready and len(waits.unexamined) < MOST_UNEXAMINED:
            waits.unexamined += ((began_ns, now_ns),)
        return
    recorder, counts, limits, searched_ns = _recorder.current, {}, {}, thread_time_ns()
    try:
        tasks, count = _tasks_of(frame.f_locals["self"])
        for task in tasks:
            found, inner, file = _innermost(task.get_coro(), recorder.where)
            if found and answers and _is_network(file):
                where_id = recorder.where.find(found)
                counts[where_id] = counts.get(where_id, 0) + 1
            limiter = found and _limiter(inner, file)
            if limiter:
                number = limits.get(limiter, (0, None))[0] + 1
                limits[limiter] = number, found
        if limits:
            limiter = max(limits, key=lambda one: limits[one][0])
            number, found = limits[limiter]
            _limited(recorder, waits.unexamined_ns, number * count // len(tasks), limiter[1], found, now_ns)
    except Exception as error:  # The program's own kind of task or coroutine.
        pass_on(error)
    where_id = max(counts, key=counts.get) if counts else 0
    for began, end in (waits.unexamined if where_id == waits.await_id else ()) + ((began_ns, now_ns),):
        if where_id:
            recorder.span("asyncio await", AWAIT, began, end, where_id=where_id)
    waits.unexamined_ns, waits.unexamined, waits.await_id = 0, (), where_id
    _searched(searched_ns)


def _limiter(frame, file):
    """(identity, kind) of the lock, semaphore or full queue of asyncio that a task waits for; None if for anything else."""
    if frame.f_code.co_name in ("acquire", "put") and file.endswith(_LIMITERS):
        limiter = frame.f_locals.get("self")
        return id(limiter), type(limiter).__name__
    return None


def _limited(recorder, ns, tasks, kind, frame, now_ns):
    """Records how many tasks waited for their turn while the loop waited. LimitedTasksRule.java reads this mark, by its
    name and its keys."""
    code = frame.f_code
    where = "%s:%d %s" % (user_file(code.co_filename), frame.f_lineno, getattr(code, "co_qualname", code.co_name))
    detail = '{"ns":%d,"tasks":%d,"kind":"%s","at":"%s"}' % (ns, tasks, _plain(kind), _plain(where))
    recorder.mark("event loop limit", detail, 400, now_ns)


def _plain(text):
    """A text that needs no escapes in JSON."""
    return "".join(one if one.isprintable() and one not in '"\\' else "?" for one in text[:150])


def _searched(began_ns):
    """``began_ns``: the thread's CPU time before the search, since other programs may run meanwhile."""
    waits.next_await_ns = monotonic_ns() + 100 * (thread_time_ns() - began_ns)


def _awaits_timer(frame, selector):
    """Whether a loop with sockets waited for the timer that ended its wait, rather than for a socket. The timer's task
    answers a request; or no task awaits the network, and the loop accepts no connections or a request waits for what the
    program's own task does after the timer, as for a batch that is not full."""
    from asyncio import all_tasks

    began_ns = thread_time_ns()
    try:
        loop, where = frame.f_locals["self"], _recorder.current.where
        task = _task_of(loop._scheduled[0]) if loop._scheduled else None
        if task is None:
            return False
        if _kind(task)[0]:
            return True
        kinds = [_kind(other) for other in islice(all_tasks(loop), MOST_TASKS)]
        if any(network for _, network in kinds):
            return False
        keys = selector.get_map().values()
        if any(_accepts(key) for key in keys):
            own = [inner for inner in _frames(task.get_coro()) if "/asyncio/" not in inner.f_code.co_filename]
            serves = any(answers for answers, _ in kinds) or any(_serves(key) for key in keys)
            return serves and bool(own and where.find(own[-1]))
        return True
    except Exception as error:  # The program's own kind of handle, task or coroutine.
        pass_on(error)
        return False
    finally:
        _searched(began_ns)


def _kind(task):
    """Whether a task answers a request to a server, and whether it awaits the network."""
    answers, file = False, ""
    for frame in _frames(task.get_coro()):
        name = frame.f_code.co_filename
        answers = answers or name == SERVER_FILE
        file = file if "/inferscope/_" in name else name
    return answers, _is_network(file)


def _accepts(key):
    reader = key.data[0]
    return getattr(reader._callback, "__name__", "") == "_accept_connection" if reader else False


def _serves(key):
    """Whether a connection was accepted by a server of asyncio's streams. Its handler is a task: if it awaits no network, a
    request waits."""
    reader = key.data[0]
    transport = getattr(reader._callback, "__self__", None) if reader else None
    if getattr(transport, "_server", None) is None:
        return False
    return type(transport.get_protocol()).__module__ == "asyncio.streams"


def _tasks_of(loop):
    """Tasks that are not done, MOST_TASKS at most, and how many there are; the oldest first: default names are
    numbered."""
    from asyncio import all_tasks

    tasks = all_tasks(loop)
    some = islice(tasks, MOST_TASKS)
    return sorted(some, key=lambda task: (len(task.get_name()), task.get_name())), len(tasks)


def _innermost(waiting, where):
    """The innermost frame of user code in a coroutine, its innermost frame, and that one's file, the probe aside."""
    found, inner, file = None, None, ""
    for frame in _frames(waiting):
        found = frame if where.find(frame) else found
        if "/inferscope/_" not in frame.f_code.co_filename:  # the probe's own
            inner, file = frame, frame.f_code.co_filename
    return found, inner, file


def _is_network(file):
    return file.endswith(_NETWORK) if "/asyncio/" in file else "-packages/" in file


def _frames(waiting):
    """The frames of a coroutine and of what it awaits, the outermost first."""
    while waiting is not None:
        kind = type(waiting)
        names = _CHAIN.get(kind.__name__)
        if names is None:
            waiting = get_referents(waiting)[0] if kind.__name__ in _WRAPPERS else None
            continue
        frame = getattr(waiting, names[0])
        if frame is None:
            break
        yield frame
        waiting = getattr(waiting, names[1])


def _awaits_threads():
    """Whether the thread's loops await work of other threads, in executors: its end may also end a wait for a timer."""
    waits.awaited = [pair for pair in waits.awaited if any(map(_is_open, pair))]
    return bool(waits.awaited)


def _is_open(future):
    known = future()
    return known is not None and not known.done()


def wrap_wrap_future(original, hook, state):
    def wrap_future(future, *args, **kwargs):
        got = original(future, *args, **kwargs)
        try:
            if _recorder.current is not None and got is not future:
                if len(waits.awaited) >= waits.prune_at:
                    _awaits_threads()
                    waits.prune_at = max(64, 2 * len(waits.awaited))
                waits.awaited = waits.awaited or []
                waits.awaited.append((ref(got), ref(future)))  # After cancel(), the one is done before the other.
        except Exception as error:
            state.failed(error)
        return got

    return wrap_future


def _long_turn(frame, turned_ns, began_ns, ready):
    """Records an iteration, from one select to the next, if work was overdue after it: a timer, or a descriptor that was
    ready at once and may have been before."""
    timers = getattr(frame.f_locals["self"], "_scheduled", None)
    late_ns = int(began_ns - timers[0]._when * 1e9) if timers else 0
    if ready or late_ns > AT_ONCE_NS:
        # BusyEventLoopRule.java reads this mark, by its name and its key.
        _recorder.current.mark("event loop turn", '{"ns":%d}' % (began_ns - turned_ns), 100, began_ns)


def _timer_ran_out(frame, began_ns, now_ns):
    """Records a wait that a timer ended: the loop's only descriptor is the one that wakes it up, and no other thread was
    to do so. The line is that of the task which waits for the timer. It stands for the waits since the last search, if
    that found it too."""
    recorder, timers = _recorder.current, getattr(frame.f_locals["self"], "_scheduled", None)
    try:
        where_id = _line_of(timers[0], recorder.where) if timers else 0
    except Exception as error:  # The program's own kind of handle or coroutine.
        pass_on(error)
        where_id = 0
    for wait in (waits.ran_out if where_id and where_id == waits.timer_id else ()) + ((began_ns, _due_ns(frame), now_ns),):
        _record_timer(recorder, where_id, *wait)
    waits.ran_out, waits.timer_id = (), where_id


def _due_ns(frame):
    timers = getattr(frame.f_locals["self"], "_scheduled", None)
    return int(timers[0]._when * 1e9) if timers else 0


def _record_timer(recorder, where_id, began_ns, due_ns, now_ns):
    """What comes after the timer's time, such as waiting for the GIL, is no part of it."""
    if began_ns + SHORTEST_TIMER_NS < due_ns <= now_ns + CLOCK_NS:
        recorder.span("asyncio timer", TIMER, began_ns, min(due_ns, now_ns), where_id=where_id)


def _line_of(timer, where):
    """String id of the innermost line of user code in the task that waits for a timer's future, as asyncio.sleep does,
    or 0."""
    found, task = 0, _task_of(timer)
    for frame in _frames(task.get_coro() if task is not None else None):
        found = where.find(frame) or found
    return found


def _task_of(timer):
    """The task that waits for a timer's future, or for anything with the timer as timeout; or None."""
    timeout = getattr(timer._callback, "__self__", None)
    if type(timeout).__module__ == "asyncio.timeouts":
        return timeout._task
    for future in timer._args or ():
        if hasattr(type(future), "_asyncio_future_blocking"):
            for callback, _ in future._callbacks or ():
                task = getattr(callback, "__self__", None)
                if hasattr(type(task), "get_coro"):
                    return task
    return None


def _wrap_wake_up(record):
    """A call on an asyncio loop's own socket, which ``record`` records instead of the hooks of sockets."""
    def wrap(original, hook, state):
        def wake_up(self, *args, **kwargs):
            try:
                if _recorder.current is not None:
                    record(id(self) ^ _recorder.current.salt, sys._getframe().f_back)
                    waits.inside = True
            except Exception as error:
                state.failed(error)
            try:
                return original(self, *args, **kwargs)
            finally:
                waits.inside = False

        return wake_up

    return wrap


def _waking(key, frame):
    """call_soon_threadsafe of an asyncio loop, including answers of run_in_executor."""
    give(EVENT, "asyncio wake-up", key, 0, frame)


def _woken(key, frame):
    waits.foreign = waits.foreign or not waits.awaited  # A thread without a future woke it, and may again.
    began_ns, ended_ns = _selected()
    take(EVENT, "asyncio wake-up", key, 0, began_ns, None, ended_ns)


_LOOP = "asyncio.selector_events"

HOOKS = (
    Hook("socket", "socket.connect", wrap=wrap_connect),
    Hook("socket", "socket.accept", wrap=wrap_accept),
    Hook("socket", "socket.send", wrap=wrap_send("socket", _keys, True)),
    Hook("socket", "socket.sendall", wrap=wrap_send("socket", _keys, True)),
    Hook("socket", "socket.recv", wrap=wrap_receive),
    Hook("socket", "socket.recv_into", wrap=wrap_receive),
    Hook("selectors", "SelectSelector.select", wrap=wrap_select),
    Hook("selectors", "PollSelector.select", wrap=wrap_select),
    Hook("selectors", "EpollSelector.select", wrap=wrap_select),
    Hook("asyncio.futures", "wrap_future", wrap=wrap_wrap_future),
    Hook(_LOOP, "BaseSelectorEventLoop._check_running", wrap=wrap_check_running),
    Hook(_LOOP, "BaseSelectorEventLoop._write_to_self", wrap=_wrap_wake_up(_waking)),
    Hook(_LOOP, "BaseSelectorEventLoop._read_from_self", wrap=_wrap_wake_up(_woken)),
)
