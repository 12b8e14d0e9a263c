"""Shared by the measuring scripts: runs a command and measures its time and memory."""

import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAUNCHER = str(ROOT / "scripts/inferscope")


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


def check_consistency():
    """From now on, every report that this process has made says where it contradicts itself: see `contradictions`."""
    os.environ["INFERSCOPE_JAVA_OPTS"] = (os.environ.get("INFERSCOPE_JAVA_OPTS", "") + " -Dinferscope.check-consistency=true").strip()


def contradictions(report):
    """What a JSON report says of itself: parts that failed, and sentences that contradict its ledgers or each other."""
    return ["%s: %s" % (one["part"], one["problem"]) for one in report["failures"]]


def measured(command):
    """The line above a table of docs/evidence/performance.md: the command that printed it, and the date."""
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip() or "unknown"
    version = re.search(r"<version>(\d+\.\d+)", (ROOT / "pom.xml").read_text(encoding="utf-8"))[1]
    return "<!-- measured: %s at %s on %s, version %s -->" % (command, commit, time.strftime("%Y-%m-%d", time.gmtime()), version)


def confident(ordered):
    """Order statistics between which the median lies with 95 % confidence: the binomial's normal approximation, all of fewer than six."""
    count = len(ordered)
    rank = max(0, math.floor((count - 1.96 * math.sqrt(count)) / 2)) if count > 5 else 0
    return ordered[rank], ordered[count - 1 - rank]


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


class Builds:
    """Launchers of commits, each built once."""

    def __init__(self, cache):
        self.cache = cache

    def launcher(self, revision):
        commit = git("rev-parse", "--verify", revision + "^{commit}")
        folder = self.cache / commit[:12]
        if not (folder / "bin/inferscope").exists():
            print("building %s" % commit[:12], file=sys.stderr)
            self.cache.mkdir(parents=True, exist_ok=True)
            tree = tempfile.mkdtemp(prefix="tree.", dir=self.cache)
            try:
                git("worktree", "add", "-q", "--detach", tree, commit)
                self.install(pathlib.Path(tree), folder)
            finally:
                git("worktree", "remove", "--force", tree)
        return str(folder / "bin/inferscope")

    def this(self):
        """The launcher of this tree, which is that of its commit if nothing is changed."""
        if not git("status", "--porcelain", "--untracked-files=no"):
            return self.launcher("HEAD")
        self.install(ROOT, self.cache / "this")
        return str(self.cache / "this/bin/inferscope")

    @staticmethod
    def install(tree, folder):
        """Copies a tree's distribution with its launcher, which all commits lay out alike, so that no start looks for changed sources."""
        subprocess.run([str(tree / "scripts/inferscope"), "--version"], check=True, stdout=subprocess.DEVNULL)
        built = max(tree.glob("inferscope-cli/target/**/inferscope/.built"), key=os.path.getmtime).parent
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(built, folder, ignore=shutil.ignore_patterns("cache"))
