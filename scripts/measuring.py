"""Shared by the measuring scripts: runs a command and measures its time and memory."""

import math
import os
import pathlib
import re
import subprocess
import time

LAUNCHER = str(pathlib.Path(__file__).resolve().parent / "inferscope")


class CommandFailed(SystemExit):
    """A command ended with an error. Ends the script with that message if it is not caught."""


def once(command, cwd=None):
    """Runs a command and returns its wall seconds, CPU seconds and peak resident MiB.

    Children that the command waited for are included: their CPU time is added, the peak is that of the largest process.
    A large caller would be counted too, since a process starts as a copy of it: keep the caller small.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise CommandFailed("%s ended with %d" % (" ".join(command), process.returncode))
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measured(command):
    """The line above a table of docs/performance.md: the command that printed it, and the date."""
    root = pathlib.Path(LAUNCHER).parent.parent
    commit = subprocess.run(["git", "-C", str(root), "rev-parse", "--short=8", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip() or "unknown"
    version = re.search(r"<version>(\d+\.\d+)", (root / "pom.xml").read_text(encoding="utf-8"))[1]
    return "<!-- measured: %s at %s on %s, version %s -->" % (command, commit, time.strftime("%Y-%m-%d", time.gmtime()), version)


def confident(ordered):
    """Order statistics between which the median lies with 95 % confidence: the binomial's normal approximation, all of fewer than six."""
    count = len(ordered)
    rank = max(0, math.floor((count - 1.96 * math.sqrt(count)) / 2)) if count > 5 else 0
    return ordered[rank], ordered[count - 1 - rank]
