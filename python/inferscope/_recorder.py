"""Turns events of one process into spool records: spans, marks, threads, coverage, and the overhead of recording.

``current`` is the recorder in use, or None: then nothing is recorded. Times are CLOCK_MONOTONIC nanoseconds.
"""

import sys
from _thread import _local, get_ident, get_native_id  # others take them from here: gevent replaces _thread's later
from gc import get_count, get_threshold
from itertools import count
from time import monotonic_ns, thread_time_ns, time_ns

from . import _spool
from ._spool_format import (
    CLOCK, CLOCK_HEADER, COUNTER, COUNTER_HEADER, COVERAGE, COVERAGE_HEADER, GC, HAND_OVER, HAND_OVER_BYTES, HAND_OVER_HEADER, MARK, MARK_HEADER,
    NOTE, NOTE_HEADER, OVERHEAD, OVERHEAD_HEADER, PROCESS, PROCESS_HEADER, PROFILER, REQUEST, REQUEST_END_NS_WORD,
    REQUEST_FIRST_NS_WORD, REQUEST_HEADER, REQUEST_ID_WORD, REQUEST_ITEMS_WORD, SPAN, SPAN_BYTES, SPAN_END_NS_WORD,
    SPAN_HEADER, SPAN_USER, STRING, STRING_HEADER, THREAD, THREAD_HEADER, THREAD_STATE, THREAD_STATE_HEADER, UNFINISHED,
)
from ._where import Where

current = None

UNFINISHED_SPAN = UNFINISHED | SPAN_BYTES << 32
UNFINISHED_HAND_OVER = UNFINISHED | HAND_OVER_BYTES << 32
USER_SPAN_HEADER = SPAN_HEADER | SPAN_USER

NAME_LIMIT_BYTES = 1024
INTERN_LIMIT = 100000
GC_PAUSE_MIN_NS = 100_000
THREAD_CLOCKS_NS = 1_000_000
ID_LIMIT_BYTES = 128
REQUEST_DETAIL_LIMIT_BYTES = 65536


class _Thread(_local):
    """tid: the kernel's id of the thread, 0 before its first record."""

    tid = 0


class Recorder:
    """Writes to one spool. Methods raise ValueError once the spool is closed; callers treat that as "stop"."""

    def __init__(self, spool, pid):
        self.spool, self.pid = spool, pid
        self.view, self.words = spool.view, spool.words
        self.thread = _Thread()
        self.threads = {}
        self.string_ids = {"": 0}
        self.next_string_id = count(1).__next__
        self.where = Where(self.intern)
        self.lines = self.where.known
        self.gc_start_ns = 0
        self.gc_called = False
        self.hand_overs_missing = 0
        self.salt = (pid * 0x9E3779B97F4A7C15 ^ spool.opened_ns * 0xC2B2AE3D27D4EB4F) & 0xFFFFFFFFFFFFFFFF

    def intern(self, text):
        """The id of a string in this file. Text beyond 100,000 different strings is stored again at each use."""
        known = self.string_ids.get(text)
        if known is not None:
            return known
        text = str(text)
        ident = self.next_string_id()
        try:
            if len(self.string_ids) < INTERN_LIMIT:
                known = self.string_ids.setdefault(text, ident)
                if known != ident:
                    return known
            self._append_string(ident, text, NAME_LIMIT_BYTES)
        except BaseException:  # A signal handler may raise anywhere: the string is stored at its next use.
            if self.string_ids.get(text) == ident:
                del self.string_ids[text]
            raise
        return ident

    def text(self, text, limit_bytes):
        """Stores a string that will not be used again and returns its id."""
        ident = self.next_string_id()
        self._append_string(ident, text, limit_bytes)
        return ident

    def _append_string(self, ident, text, limit_bytes):
        data = text.encode("utf-8", "replace")
        if len(data) > limit_bytes:
            data = data[:limit_bytes].decode("utf-8", "ignore").encode("utf-8")
        padding = -len(data) % 8
        self.spool.append(STRING.pack(STRING_HEADER + (len(data) + padding << 32), ident, len(data)) + data + bytes(padding))

    def enter_thread(self):
        """Records the calling thread. Returns its kernel thread id."""
        tid = self.thread.tid = get_native_id()
        threading = sys.modules.get("threading")
        thread = getattr(threading, "_active", {}).get(get_ident())
        name = thread.name if thread is not None else "MainThread" if tid == self.pid else ""
        self.name_thread(tid, name, get_ident())
        return tid

    def name_thread(self, tid, name, pthread_id):
        if self.threads.get(tid) != (name, pthread_id):
            self.threads[tid] = (name, pthread_id)
            self.spool.append(THREAD.pack(THREAD_HEADER, tid, self.intern(name), pthread_id, self.pid))

    def thread_ends(self, began_ns):
        """Records for how long the calling thread, which began at ``began_ns`` and ends, had a CPU or was ready for
        one."""
        with open("/proc/thread-self/schedstat", "rb", 0) as file:
            ready_ns = int(file.read(100).split()[1])  # its time on a CPU, before it, is as of the last tick
        tid, on_cpu_ns, now_ns = get_native_id(), thread_time_ns(), monotonic_ns()
        if tid != self.pid and 0 < on_cpu_ns + ready_ns <= now_ns - began_ns + THREAD_CLOCKS_NS:  # else a greenlet's
            self.spool.append(THREAD_STATE.pack(THREAD_STATE_HEADER, began_ns, now_ns, on_cpu_ns, ready_ns, tid, *(0,) * 9))

    def begin(self, name, activity, frame, header=SPAN_HEADER):
        """Opens a span on the calling thread. Returns its word index in the file, or 0 when it had to be dropped."""
        tid = self.thread.tid or self.enter_thread()
        name_id = self.string_ids.get(name) or self.intern(name)
        entry = self.lines.get((id(frame.f_code), frame.f_lasti)) if frame else None
        where_id = entry[0] if entry and entry[0] else self.where.find(frame)
        try:
            word = self.spool.next_slot()
        except StopIteration:
            word = self.spool.grow_spans()
            if not word:
                return 0
        SPAN.pack_into(self.view, word << 3, UNFINISHED_SPAN, monotonic_ns(), 0, tid, name_id, activity, 0, where_id, 0, 0, 0)
        self.words[word] = header
        return word

    def _slot(self):
        """The word index of a slot for a SPAN or REQUEST, or 0."""
        try:
            return self.spool.next_slot()
        except StopIteration:
            return self.spool.grow_spans()

    def end(self, word, end_ns):
        self.words[word + SPAN_END_NS_WORD] = end_ns

    def span(self, name, activity, start_ns, end_ns, value=0, header=SPAN_HEADER, where_id=0):
        """Stores a span that is over. Its thread is the calling one."""
        tid = self.thread.tid or self.enter_thread()
        name_id = self.intern(name)
        word = self._slot()
        if word:
            SPAN.pack_into(self.view, word << 3, UNFINISHED_SPAN, start_ns, end_ns, tid, name_id, activity, 0, where_id, value, 0, 0)
            self.words[word] = header

    def hand_over(self, direction, means, name, key, number, time_ns, began_ns, frame, tid=0, pid=0):
        """Records that the calling thread, or thread ``tid`` of process ``pid``, gave or took something. ``key`` has 64
        bits and is equal on both sides; keys of objects within one process are mixed with the recorder's ``salt``."""
        tid = tid or self.thread.tid or self.enter_thread()
        name_id = self.string_ids.get(name) or self.intern(name)
        entry = self.lines.get((id(frame.f_code), frame.f_lasti)) if frame else None
        where_id = entry[0] if entry and entry[0] else self.where.find(frame)
        try:
            word = self.spool.next_hand_over()
        except StopIteration:
            word = self.spool.grow_hand_overs()
            if not word:
                self.hand_overs_missing += 1
                return
        HAND_OVER.pack_into(self.view, word << 3, UNFINISHED_HAND_OVER, time_ns, began_ns, key, number, tid, pid, direction, means, name_id, where_id)
        self.words[word] = HAND_OVER_HEADER

    def request(self, name, ident, arrival_ns, waited_us=0):
        """Opens a REQUEST that arrived on the calling thread. ``waited_us``: until its handler was called, 0 if that is not
        known. Returns its word index, or 0 when it had to be dropped."""
        tid = self.thread.tid or self.enter_thread()
        name_id, ident_id = self.intern(name), self.text(ident, ID_LIMIT_BYTES) if ident else 0
        word = self._slot()
        if word:
            REQUEST.pack_into(self.view, word << 3, UNFINISHED_SPAN, arrival_ns, 0, 0, tid, min(max(waited_us, 0), 0xFFFFFFFF), ident_id, name_id, 0, 0)
            self.words[word] = REQUEST_HEADER
        return word

    def end_request(self, word, end_ns, first_ns=0, items=0, detail="", name=""):
        """Fills in the facts that were unknown at the arrival. ``items``: tokens or chunks of the answer."""
        words = self.words
        if name:
            words[word + REQUEST_ID_WORD] = words[word + REQUEST_ID_WORD] & 0xFFFFFFFF | self.intern(name) << 32
        words[word + REQUEST_ITEMS_WORD] = min(items, 0xFFFFFFFF) | (self._detail(detail) if detail else 0) << 32
        words[word + REQUEST_FIRST_NS_WORD], words[word + REQUEST_END_NS_WORD] = first_ns, end_ns

    def _detail(self, detail):
        return self.intern(detail) if len(detail) < 64 else self.text(detail, REQUEST_DETAIL_LIMIT_BYTES)

    def note(self, key, value):
        """Records a fact about the process, such as its rank."""
        self.spool.append(NOTE.pack(NOTE_HEADER, self.intern(key), self.intern(str(value)), self.pid))

    def count(self, name, value):
        """Records what a counter of the process shows now."""
        self.spool.append(COUNTER.pack(COUNTER_HEADER, monotonic_ns(), value, self.intern(name), self.pid))

    def mark(self, name, metadata_json, limit_bytes, time_ns=0):
        tid = self.thread.tid or self.enter_thread()
        detail = self.text(metadata_json, limit_bytes) if metadata_json else 0
        self.spool.append(MARK.pack(MARK_HEADER, time_ns or monotonic_ns(), tid, self.intern(name), detail, 0))

    def process(self, start_ns, parent_pid, runtime, program, seen):
        self.spool.append(PROCESS.pack(PROCESS_HEADER, start_ns, self.pid, parent_pid, self.intern(runtime),
                                       self.intern(program), 0, 0, self.intern(seen)))

    def clock(self):
        """Records the tightest of a few (monotonic, realtime) pairs."""
        best = None
        for _ in range(5):
            before, unix_ns, after = monotonic_ns(), time_ns(), monotonic_ns()
            if best is None or after - before < best[0]:
                best = (after - before, (before + after) // 2, unix_ns)
        self.spool.append(CLOCK.pack(CLOCK_HEADER, best[1], best[2], 0, self.intern("realtime"), (best[0] + 1) // 2))

    def coverage(self, source, status, why="", recorded=0, missing=0, stored=None):
        self.spool.append(COVERAGE.pack(COVERAGE_HEADER, self.intern(source), self.intern(why), recorded, missing, 0, status), stored)

    def overhead(self, cpu_ns, wall_ns, events, name="python-probe", stored=None):
        self.spool.append(OVERHEAD.pack(OVERHEAD_HEADER, cpu_ns, wall_ns, self.intern(name), 0, events), stored)

    def on_gc(self, phase, info):
        """Member of gc.callbacks; pauses below 0.1 ms are not worth a record. A collection that is not due was called for."""
        try:
            if phase == "start":
                self.gc_called = get_count()[0] <= get_threshold()[0]
                self.gc_start_ns = monotonic_ns()
            else:
                end_ns = monotonic_ns()
                if self.gc_start_ns and end_ns - self.gc_start_ns > GC_PAUSE_MIN_NS:
                    name = "gc.collect generation %d" if self.gc_called else "gc generation %d"
                    self.span(name % info["generation"], GC, self.gc_start_ns, end_ns, info["collected"])
        except Exception:
            pass


class Twice(Recorder):
    """Stores spans and hand-overs again, in memory, in every second period of CLOCK_MONOTONIC: so many as take as long as
    the whole call, that of the wrapper included. How much longer that makes the program's steps is what the probe costs;
    nothing is left out meanwhile. See ``--sample-window``."""

    period_ns, owed = 0, 0.0
    times = {}  # by header, how often to store again, on average

    def begin(self, name, activity, frame, header=SPAN_HEADER):
        if monotonic_ns() // self.period_ns & 1:
            for _ in range(self._times(header)):
                self.again.begin(name, activity, frame, header)
        return Recorder.begin(self, name, activity, frame, header)

    def _times(self, header):
        self.owed += self.times.get(header, 1)
        count = int(self.owed)
        self.owed -= count
        return count

    def span(self, name, activity, start_ns, end_ns, *more, **named):
        if end_ns // self.period_ns & 1:
            self.again.span(name, activity, start_ns, end_ns, *more, **named)
        Recorder.span(self, name, activity, start_ns, end_ns, *more, **named)

    def hand_over(self, direction, means, name, key, number, time_ns, *more, **named):
        if time_ns // self.period_ns & 1:
            for _ in range(self._times(SPAN_HEADER)):
                self.again.hand_over(direction, means, name, key, number, time_ns, *more, **named)
        Recorder.hand_over(self, direction, means, name, key, number, time_ns, *more, **named)


def span_cost_ns(frame, batches=5, repeats=50):
    """The current CPU time of recording one span, which does not depend on other load: the median of batches measured
    on a spool in memory. A hand-over costs no more."""
    scratch = Recorder(_spool.Endless(), 0)
    costs = []
    for _ in range(batches):
        start_ns = thread_time_ns()
        for _ in range(repeats):
            scratch.end(scratch.begin("calibration", PROFILER, frame), monotonic_ns())
        costs.append(thread_time_ns() - start_ns)
    return sorted(costs)[batches // 2] // repeats
