"""explain(): records a part of this process and explains it.

InferScope observes the process from outside, as ``inferscope attach`` does, and the probe records inside meanwhile, into
the same spool folder.
"""

from __future__ import annotations

import ctypes
import html
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
import weakref
from typing import Any

from . import _probe, report
from ._signals import pass_on
from .report import Report

PR_SET_PTRACER, ANY = 0x59616D61, ctypes.c_ulong(-1)  # prctl(2)
START_S, REPORT_S = 60, 600  # longest waits
POLL_S = 0.005
RULES = "--rules-file"  # the option that decides what a report on the same recording says
SPOOL = "-host.spool"  # how the name of the observer's first file ends
# The observer is no descendant of the process, which would be observed with it. The inner shell outlives the outer one.
START = """{ "$@" </dev/null >"$0/out" 2>"$0/err" & echo $! >"$0/pid.part"; mv "$0/pid.part" "$0/pid"
wait $!; echo $? >"$0/code.part"; mv "$0/code.part" "$0/code"; } >/dev/null 2>&1 &"""


class explain:
    """Records while its block runs; then it is the report on the block: ``e.verdict``, ``e.findings``, ``e.ledger``,
    ``e.kernels.to_pandas()``, ``e.save("report.html")``; a notebook shows it.

    ``options``: more options of ``inferscope attach``, such as ``"--gpu"`` or ``"--fail-on", "idle>20%"``, whose broken
    limits are in ``e.limits``. Under ``inferscope run``, which records everything, the block is a scope of that name.

    It starts within a second or so, and waits at the end of the block until the report is made. It never raises in the
    program's place: where nothing can be recorded it warns, and asking for the report raises ReportError. One block of a
    process is explained at a time.
    """

    _running = None

    def __init__(self, *options: str, name: str = "explain") -> None:
        self._options, self._name = options, name
        self._folder = self._report = self._scope = None
        self._reason = "the block has not ended yet"

    def __enter__(self) -> explain:
        from ._recorder import current

        if current is not None or explain._running is not None:
            self._reason = "inferscope records this process already; its report has the scope %r" % self._name
            if explain._running is None:
                from ._scope import scope

                self._scope = scope(self._name)
                self._scope.__enter__()
            return self
        explain._running = self
        try:
            self._start()
        except Exception as error:
            pass_on(error)
            self._fail(error)
        return self

    def __exit__(self, error_type: Any, error: Any, traceback: Any) -> None:
        if self._scope is not None:
            self._scope.__exit__(error_type, error, traceback)
        if explain._running is self:
            explain._running = None
            try:
                self._end()
            except Exception as failure:
                pass_on(failure)
                self._fail(failure)

    def _start(self):
        if not sys.platform.startswith("linux"):
            raise report.ReportError("it records on Linux only")
        self._folder = tempfile.mkdtemp(prefix="inferscope-")
        weakref.finalize(self, shutil.rmtree, self._folder, True)
        words = [report.launcher(), "attach", str(os.getpid()), "--duration", "0", "--trace", self._file("trace.json.gz"),
                 "-o", self._file("report.json"), *self._options]
        allow_observer(True)
        subprocess.run(["sh", "-c", START, self._folder, *words], check=True, stdin=subprocess.DEVNULL)
        _probe.prepare()
        end_s = time.monotonic() + START_S
        while not self._spool():
            if os.path.exists(self._file("code")):
                raise report.ReportError(report.reason(self._said()), self._code())
            self._sleep(end_s)
        _probe.record_into(self._spool())

    def _spool(self):
        """The folder of the recorders' files, once the observer records."""
        for name in os.listdir(self._folder):
            folder = self._file(name)
            if name.startswith("spool_") and any(one.endswith(SPOOL) for one in os.listdir(folder)):
                return folder
        return None

    def _sleep(self, end_s):
        if time.monotonic() > end_s:
            raise report.ReportError("it did not answer in time")
        time.sleep(POLL_S)

    def _end(self):
        if self._folder is None or not os.path.exists(self._file("pid")):
            return
        _probe.leave()
        self._stop()
        end_s = time.monotonic() + REPORT_S
        while not os.path.exists(self._file("code")):
            self._sleep(end_s)
        allow_observer(False)
        if not os.path.exists(self._file("report.json")):
            raise report.ReportError(report.reason(self._said()), self._code())
        limits = [line.split("limit ", 1)[1] for line in self._said().splitlines() if line.startswith("inferscope: limit ")]
        rules = [word for before, word in zip(("", *self._options), self._options) if before == RULES or word.startswith(RULES)]
        self._report = report.parsed(self._read("report.json"), self._file("trace.json.gz"), limits, rules)

    def _stop(self):
        if not os.path.exists(self._file("code")):
            os.kill(int(self._read("pid")), signal.SIGTERM)

    def _fail(self, error):
        _probe.leave()
        if self._folder is not None and os.path.exists(self._file("pid")):
            self._stop()
        allow_observer(False)
        if self._reason == "the block has not ended yet":
            self._reason = str(error) or type(error).__name__
            warnings.warn("inferscope explains nothing: " + self._reason, stacklevel=3)

    def _file(self, name):
        return os.path.join(self._folder, name)

    def _read(self, name):
        with open(self._file(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def _said(self):
        return self._read("err")

    def _code(self):
        return int(self._read("code"))

    @property
    def report(self) -> Report:
        """The report. Raises ReportError where there is none, with the reason."""
        if self._report is None:
            raise report.ReportError(self._reason)
        return self._report

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.report, name)

    def __dir__(self):
        return [*super().__dir__(), *(dir(self._report) if self._report is not None else ())]

    def __str__(self):
        return repr(self) if self._report is None else str(self._report)

    def __repr__(self):
        return "<explain: %s>" % (self._reason if self._report is None else repr(self._report))

    def _repr_html_(self):
        return "<p>%s</p>" % html.escape(report.plain(self._reason)) if self._report is None else self._report._repr_html_()


def allow_observer(allowed):
    """Where only ancestors may observe a process (Yama), lets the same user's processes do it meanwhile."""
    ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANY if allowed else ctypes.c_ulong(0), 0, 0, 0)
