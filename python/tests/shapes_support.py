"""What the tests of the shape recorder share."""

import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

from support import BOOTSTRAP, PYTHON_FOLDER, Copies, Observed, environment, tagged

RECOVERER = PYTHON_FOLDER / "inferscope" / "_shape_recover.py"


def require_torch(*modules):
    """Skips the module's tests, or fails, where torch is not to be had: as in test_torch."""
    required = os.environ.get("INFERSCOPE_REQUIRE_TORCH") == "1"
    try:
        if not required and os.environ.get("INFERSCOPE_TEST_TORCH") != "1":
            raise ImportError("INFERSCOPE_TEST_TORCH is not 1")
        for module in ("torch",) + modules:
            __import__(module)
    except ImportError as error:
        if required:
            raise AssertionError("tests of shapes need torch: %s" % error)
        print("skipped: tests of shapes: %s" % error, file=sys.stderr)
        raise unittest.SkipTest(str(error))


SMALL = """\
import torch
from torch import nn
torch.manual_seed(0)
class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)
    def forward(self, x):
        return torch.relu(self.linear(x))
model = Small().eval()
x = torch.ones(2, 8)
torch.set_grad_enabled(False)
"""

START = "from inferscope.shapes import startup\nstartup.start()\n"


@tagged("torch")
class Recorded(Observed):
    """Runs programs with the shape recorder asked for by the environment alone. ``record``, ``run_copy`` and ``begin`` run them in copies of one
    process that has imported torch already, as a fork server would; ``run_python`` in a process of their own."""

    @classmethod
    def setUpClass(cls):
        cls.copies = Copies.with_torch()

    def shapes_environment(self, **variables):
        """Variables without their common beginning: ``RANK=1``."""
        asked = {"SGLANG_PROFILE_SHAPES_" + name: value for name, value in variables.items()}
        return environment(PYTHONPATH="%s:%s" % (BOOTSTRAP, PYTHON_FOLDER), SGLANG_PROFILE_SHAPES=1, **asked)

    def begin(self, source, more=None, first="", **variables):
        """Starts a program and returns its process id. ``first``: what its process runs before the recorder is started."""
        env = self.shapes_environment(**variables)
        env.update(more or {})
        return self.copies.begin(self.folder, env, self.script(source), before=first + START)

    def begin_waiting(self, source):
        """Starts a program that sleeps in the end, and returns its process id when it does. It sleeps in short turns: Python handles a
        signal that comes just before a sleep when that sleep is over."""
        pid = self.begin(source + "import time\nprint('ready', flush=True)\nfor _ in range(6000): time.sleep(0.1)\n")
        self.until(lambda: (self.folder / "stdout").exists() and "ready" in (self.folder / "stdout").read_text())
        return pid

    def until(self, holds, seconds=120):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end, "it did not come true in time")
            time.sleep(0.01)

    def end(self, exit_code=0):
        """Waits for the program that was started last."""
        ended = self.copies.end()
        self.stdout, self.stderr = (self.folder / "stdout").read_text(), (self.folder / "stderr").read_text()
        (self.folder / "stdout").unlink()
        self.assertEqual(exit_code, ended, self.stderr)

    def run_copy(self, source, exit_code=0, more=None, first="", **variables):
        self.begin(source, more, first, **variables)
        self.end(exit_code)

    def record(self, source, exit_code=0, more=None, **variables):
        """Runs a program and returns what it wrote to shapes.jsonl."""
        self.run_copy(source, exit_code, more, **variables)
        return self.rows()

    def rows(self, name="shapes.jsonl"):
        lines = (self.folder / name).read_text().split("\n")
        self.assertEqual("", lines.pop(), "the last line is not whole")
        return [json.loads(line) for line in lines]

    def summary(self, name="shapes_summary.json"):
        return json.loads((self.folder / name).read_text())

    def recover(self, *folders, exit_code=0):
        done = subprocess.run([sys.executable, "-S", str(RECOVERER), *map(str, folders)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(exit_code, done.returncode, done.stderr.decode())
        return done

    def assert_nothing_left(self):
        self.assertEqual([], sorted(path.name for path in self.folder.glob("*.log")))
        self.assertEqual([], sorted(path.name for path in self.folder.glob("*.part")))

    def assert_consistent(self, rows, summary):
        """The summary says of the file what the file says of itself."""
        calls = [row for row in rows if "marker" not in row]
        self.assertEqual(list(range(1, len(calls) + 1)), [row["call_id"] for row in calls])
        counts = {}
        for row in calls:
            counts[row["operation"]] = counts.get(row["operation"], 0) + 1
        self.assertEqual(len(calls), summary["total_operations"])
        self.assertEqual(counts, summary["operation_counts"])
        self.assertEqual(len(counts), summary["unique_operations"])
        self.assertEqual(len({row["forward_pass"] for row in rows} - {0}), summary["forward_passes"])
        signatures = {json.dumps([row["operation"], row["inputs"], row["outputs"], row.get("error")]) for row in calls}
        self.assertEqual(len(signatures), summary["unique_op_signatures"])
        return calls


def operations(rows):
    return [row["operation"] for row in rows if "operation" in row]


__all__ = ["SMALL", "Recorded", "operations", "pathlib", "require_torch"]
