"""Claims the file of a process and writes new records into it twice a second.

The file can be read while the program runs, and exists even if a server kills its workers by SIGKILL. The last half
second is in the log beside it.
"""

import os
import sys
import time
from itertools import chain
from _thread import RLock, allocate_lock, start_new_thread

from .._signals import pass_on
from .files import ShapeFiles
from .log import ShapeLog
from .reader import alive, process_start, read_meta

PERIOD_S = 0.5
LONGEST_MEASURING_S = 5
ATTEMPTS = 1000


def claim(path, rank, dedupe):
    """Opens the log of a file that no other live process writes. Returns the log and its files. Raises OSError.

    The log of a killed process is renamed to ``<stem>_pid<its pid>.jsonl.log``, so that it can be recovered. If the
    file belongs to a live process, this one takes ``<stem>_pid<pid>.jsonl``.
    """
    pid = os.getpid()
    stem, ending = os.path.splitext(path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    _set_aside(path + ".log", stem, ending)
    others = ("%s_pid%d%s%s" % (stem, pid, "-%d" % n if n else "", ending) for n in range(ATTEMPTS))
    for candidate in chain([path], others):
        folder = candidate + ".log"
        meta = {"pid": pid, "start_ticks": process_start(pid), "rank": rank, "dedupe": dedupe, "executable": sys.executable or ""}
        try:
            log = ShapeLog(folder, meta)
        except FileExistsError:
            continue
        return log, ShapeFiles(folder, log.meta).open()
    raise FileExistsError(path)


def _set_aside(folder, stem, ending):
    try:
        meta = read_meta(folder)
        if not alive(meta):
            os.rename(folder, "%s_pid%d%s.log" % (stem, meta["pid"], ending))
    except (OSError, ValueError, KeyError) as error:
        pass_on(error)


class Writer:
    """Updates the files on its own thread. ``failed``: the reason of a failure; then only the log is complete."""

    def __init__(self, files, cost):
        self.files, self.cost, self.lock, self.stopped, self.failed = files, cost, RLock(), False, None
        self.measuring = allocate_lock()
        self.measuring.acquire()
        start_new_thread(self._run, ())

    def _run(self):
        try:
            self.cost.measure()  # On this thread, because no mode of the program is active on it.
        except Exception:
            pass
        self.measuring.release()
        try:
            while not self.stopped:
                time.sleep(PERIOD_S)
                with self.lock:
                    if not self.stopped:
                        self._advance()
        except Exception as error:
            self.failed = error

    def _advance(self):
        start_ns = time.thread_time_ns()
        if self.files.advance():
            self.files.write_summary(False)
        self._count(start_ns)

    def _count(self, start_ns):
        """Adds to the cost. A failure here must not spoil the files."""
        try:
            self.cost.file_ns += time.thread_time_ns() - start_ns
            self.cost.settle()
        except Exception as error:
            pass_on(error)

    def finish(self, facts):
        """Completes the files after the thread has stopped. ``facts``: fields that only the process knows. Raises
        OSError, or the exception that stopped the thread."""
        self.stopped = True
        with self.lock:
            if self.failed:
                raise self.failed
            start_ns = time.thread_time_ns()
            self.files.finish(True, facts)
            self.measuring.acquire(True, LONGEST_MEASURING_S)
            self._count(start_ns)
