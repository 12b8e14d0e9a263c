"""Measures the overhead of recording shapes, for the report of ``inferscope run --shapes``, and updates the figures in
the probe's spool.

Most of the cost of a dispatch mode is PyTorch's own work, which a clock inside the mode does not include. So a few
operators are run with the mode and without it, on the recorder's own thread and into a log in memory. The difference in
CPU time, which does not depend on other load, is counted for each recorded operator. The cost of new shapes and of the
files is measured directly.
"""

import sys
from itertools import count
from time import thread_time_ns

from .._spool_format import OVERHEAD_CPU_NS_WORD, OVERHEAD_EVENTS_WORD, OVERHEAD_HELD_UP_NS_WORD
from .mode import Book
from .place import Place

BATCHES, REPEATS = 5, 40


class _Memory:
    """A log that is never read."""

    def __init__(self):
        self.chunk = memoryview(bytearray(8 * 4 * BATCHES * REPEATS)).cast("Q"), count().__next__

    def signature(self, operation, text, parent=0):
        return 1


def operator_cost_ns(torch, mode_class):
    """CPU ns that a mode adds to an operator: the median over batches of a view and a product."""
    place = Place(mode_class())
    place.mode.write_to(Book(_Memory(), mode_class.describe))
    here = torch.ones(2, 8, device="cpu")

    def batch():
        start_ns = thread_time_ns()
        for _ in range(REPEATS):
            here.t()
            torch.mul(here, here)
        return thread_time_ns() - start_ns

    costs = []
    with torch.no_grad():
        for _ in range(BATCHES):
            bare_ns = batch()
            place.enter()
            try:
                costs.append(batch() - bare_ns)
            finally:
                place.leave()
    return max(0, sorted(costs)[BATCHES // 2] // (2 * REPEATS))


class Cost:
    """The cost of one log. ``file_ns``: CPU time spent on its files so far."""

    def __init__(self, book, mode_class):
        self.book, self.mode_class = book, mode_class
        self.recorder = getattr(sys.modules.get("inferscope._recorder"), "current", None)
        self.each_ns, self.file_ns, self.word = None, 0, 0

    def measure(self):
        """Does nothing without a probe, or at further calls."""
        if self.recorder is not None and self.each_ns is None:
            self.each_ns = operator_cost_ns(sys.modules["torch"], self.mode_class)
            self.recorder.overhead(0, 0, 0, "shapes", self._stored)

    def _stored(self, word):
        self.word = word

    def settle(self):
        """Updates the record, unless the spool is closed or belongs to a parent process."""
        recorder, word = self.recorder, self.word
        if not word or recorder is not sys.modules["inferscope._recorder"].current:
            return
        operators = self.book.log.taken()
        held_up_ns = operators * self.each_ns + self.book.learning_ns
        recorder.words[word + OVERHEAD_HELD_UP_NS_WORD], recorder.words[word + OVERHEAD_EVENTS_WORD] = held_up_ns, operators
        recorder.words[word + OVERHEAD_CPU_NS_WORD] = held_up_ns + self.file_ns
