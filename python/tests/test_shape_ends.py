"""How a recorded process ends, and what of its shapes survives that. Runs where INFERSCOPE_TEST_TORCH=1."""

import json
import os
import signal

from shapes_support import SMALL, Recorded, operations, require_torch


def setUpModule():
    require_torch()


class EndTest(Recorded):
    def test_signals_finish_the_files_and_still_end_the_process(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
            with self.subTest(number.name):
                os.kill(self.begin_waiting(SMALL + "model(x)\n"), number)
                self.end(-number)
                self.assertTrue(self.summary()["complete"])
                self.assertEqual(3, len(self.rows()))
                self.assert_nothing_left()
                (self.folder / "shapes.jsonl").unlink()

    def test_a_handler_of_the_programs_own_is_left_alone(self):
        own = "import signal\nown = lambda number, frame: None\nsignal.signal(signal.SIGTERM, own)\n"
        self.run_copy(SMALL + """\
import signal
model(x)
assert signal.getsignal(signal.SIGTERM).__name__ == "<lambda>" and signal.getsignal(signal.SIGQUIT).__name__ == "finish_first"
""", first=own)

    def test_files_can_be_read_while_the_program_runs_and_after_it_was_killed(self):
        pid = self.begin_waiting(SMALL + "model(x)\n")
        self.until((self.folder / "shapes_summary.json").exists)
        self.assertEqual(3, len(self.rows()))
        self.assertFalse(self.summary()["complete"])
        self.recover(self.folder / "shapes.jsonl.log", exit_code=3)
        os.kill(pid, signal.SIGKILL)
        self.end(-signal.SIGKILL)
        self.recover(self.folder / "shapes.jsonl.log")
        self.assert_consistent(self.rows(), self.summary())
        self.assert_nothing_left()

    def test_the_operator_in_which_a_process_dies_is_named(self):
        self.run_copy(SMALL + """\
import ctypes
lib = torch.library.Library("mine", "DEF")
lib.define("crash(Tensor here) -> Tensor")
lib.impl("crash", lambda here: ctypes.string_at(0), "CPU")
class Crash(nn.Module):
    def forward(self, x):
        return torch.ops.mine.crash(model(x))
Crash()(x)
""", exit_code=-signal.SIGSEGV)
        self.recover(self.folder / "shapes.jsonl.log")
        last = self.rows()[-1]
        self.assertEqual(("mine.crash.default", None, "Unfinished"), (last["operation"], last["outputs"], last["error"]["error_type"]))
        self.assertEqual({"here": {"shape": [2, 4], "dtype": "torch.float32"}}, last["inputs"])
        self.assertEqual(1, self.summary()["unfinished_operations"])

    def test_twenty_kills_at_random_moments_lose_no_operator(self):
        self.run_copy(KILLS)
        truths = json.loads((self.folder / "truths.json").read_text())
        self.assertEqual(20, len(truths))
        for pid, (entered, left) in truths.items():
            logs = list(self.folder.glob("shapes_pid%s.jsonl.log" % pid)) or [self.folder / "shapes.jsonl.log"]
            self.recover(logs[0])
            rows = self.rows(logs[0].name[:-4])
            seen = operations(rows).count("aten.add.Tensor")
            self.assertTrue(left <= seen <= entered, "%s: %d seen, %d to %d ran" % (pid, seen, left, entered))
            self.assertGreater(left, 100)
            self.assertLessEqual(entered - left, 1)


KILLS = SMALL + """\
import json, mmap, os, random, signal, time
from torch.utils._python_dispatch import TorchDispatchMode
torch.set_num_threads(1)
counts = memoryview(mmap.mmap(-1, 16)).cast("q")  # Each store is one: no kill comes between its bytes.
class Truth(TorchDispatchMode):
    # On top of the recorder's mode: sees each operator before it, and again after it.
    _should_skip_dynamo = classmethod(lambda cls: False)  # To keep it out, each process would import it.
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        counting = func is torch.ops.aten.add.Tensor
        if counting:
            self.entered += 1
            counts[0] = self.entered
        result = func(*args, **(kwargs or {}))
        if counting:
            counts[1] = self.entered
        return result
class Loop(nn.Module):
    def forward(self, x):
        truth = Truth()
        truth.entered = 0
        with truth:
            while True:
                x = torch.relu(x + 1.0)
random.seed(7)
truths = {}
for trial in range(20):
    counts[0] = counts[1] = 0
    pid = os.fork()
    if pid == 0:
        Loop()(torch.ones(trial + 1, 3))
    while counts[1] < 200:
        time.sleep(0.001)
    time.sleep(random.random() * 0.1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    truths[pid] = counts.tolist()
json.dump(truths, open("truths.json", "w"))
"""
