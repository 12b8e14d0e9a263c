"""trace_handler(): explains the windows of torch.profiler."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Sequence

from . import report


class trace_handler:
    """``torch.profiler.profile(..., on_trace_ready=inferscope.trace_handler())``: explains each window as it ends.

    The window is exported in the loop, as PyTorch's own handlers do it; it is explained beside the loop, one window after
    another, by a process of the lowest priority. ``on_report`` is then called with its Report, in another thread; by
    default, the report is printed on standard error.

    ``folder``: where the traces are kept (``rank0-1764367200123456789.pt.trace.json``); without one they are deleted with the
    handler. ``options``: more options of ``inferscope analyze``.

    ``reports``: those that are made so far, ReportError in the place of a report that could not be made.
    """

    reports: list[report.Report | report.ReportError]

    def __init__(self, folder: str | os.PathLike[str] | None = None, on_report: Callable[[Any], object] | None = None,
                 options: Sequence[str] = ()) -> None:
        self.folder, self.on_report, self.options = folder, on_report or _print, options
        self.reports, self._pending = [], []
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="inferscope")
        if folder is None:
            self.folder = tempfile.mkdtemp(prefix="inferscope-")
            weakref.finalize(self, shutil.rmtree, self.folder, True)
        else:
            os.makedirs(folder, exist_ok=True)

    def __call__(self, profiler: Any) -> None:
        name = "rank%s-%d.pt.trace.json" % (os.environ.get("RANK", "0"), time.time_ns())
        path = os.path.join(self.folder, name)
        profiler.export_chrome_trace(path)
        self._pending.append(self._worker.submit(self._explain, path))

    def _explain(self, path):
        try:
            made = report.open(path, *self.options, niceness=19)
        except report.ReportError as error:
            made = error
        self.reports.append(made)
        self.on_report(made)

    def wait(self) -> list[report.Report | report.ReportError]:
        """Waits until every window that has ended is explained, and returns their reports."""
        while self._pending:
            self._pending.pop(0).result()
        return self.reports


def _print(made):
    print("inferscope: %s" % made, file=sys.stderr, flush=True)
