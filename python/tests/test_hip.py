"""Windows that open by themselves, on AMD's devices and where the CUDA agent gave up, against a stand-in for torch: no device is at hand here."""

import importlib
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import Observed, environment  # noqa: E402

TORCH = """\
import time
from . import version, nn, cuda, autograd, _C
from .autograd import profiler
"""
VERSION = "hip = %r\ncuda = %r\n"
CUDA = """\
used = False
def is_initialized():
    return used
"""
NN = """\
class Module:
    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)
    def modules(self):
        return [self]
"""
CONFIG = """\
class _ExperimentalConfig:
    def __init__(self, profile_all_threads=False):
        self.profile_all_threads = profile_all_threads
"""
PROFILER = """\
import json, time
_is_profiler_enabled = False
made = []
class profile:
    def __init__(self, enabled=True, *, use_kineto=False, experimental_config=None, %s):
        self.device = %s
        made.append(self)
    def _prepare_trace(self): pass
    def __enter__(self):
        self._prepare_trace()
        self.begin = time.time_ns()
        return self
    def __exit__(self, *error): pass
    def export_chrome_trace(self, path):
        kernel = {"ph": "X", "cat": "kernel", "name": "Cijk_Ailk", "pid": 0, "tid": 3, "ts": self.begin / 1000, "dur": 5,
                  "args": {"device": 0, "stream": 3}}
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": [kernel] if self.device else []}, file)
"""
NEW, OLD = ('use_device=None', 'use_device == "cuda"'), ('use_cuda=False', 'use_cuda')
PROGRAM = """\
import time, torch
class Net(torch.nn.Module):
    def forward(self): time.sleep(0.002)
net = Net()
for _ in range(20): net()
torch.cuda.used = %r
for _ in range(8): net()  # More than the calls of warm-up, and much less than the time until a second window.
print(len(torch.autograd.profiler.made), all(one.device for one in torch.autograd.profiler.made))
"""
WITHOUT_MODULES = """\
import torch
torch.cuda.used = True
print(len(torch.autograd.profiler.made), True)
"""


# What the CUDA agent's spool of this process begins with: where it has given up its flag says that it was closed.
AGENT = """\
import os, struct
with open(os.path.join(os.environ["INFERSCOPE_SPOOL_DIR"], "agent.spool"), "wb") as file:
    file.write(struct.pack("<8sHHIIIQQQ16s", b"ISPOOL1\\n", 1, 3, 64, os.getpid(), %d, 1, 1, 0, b"cuda-agent"))
"""


class HipTest(Observed):
    agent = None

    def run_program(self, hip, used=True, ops="auto", profiler=NEW, cuda=None, program=PROGRAM, **more):
        self.library("torch.version", VERSION % (hip, cuda))
        self.library("torch.cuda", CUDA)
        self.library("torch.nn", NN)
        self.library("torch._C._profiler", CONFIG)
        self.library("torch.autograd.profiler", PROFILER % profiler)
        (self.folder / "torch" / "__init__.py").write_text(TORCH)
        path = self.script((AGENT % self.agent if self.agent is not None else "") + (program % used if program is PROGRAM else program))
        done = self.run_python(path, env=environment(self.spool_folder, INFERSCOPE_OPS=ops, **more))
        self.assertEqual(b"", done.stderr)
        traces = sorted(self.spool_folder.glob("ops-*.json"))
        texts = [trace.read_text() for trace in traces]
        for trace in traces:
            trace.unlink()
        (self.spool_folder / "agent.spool").unlink(missing_ok=True)
        told, = self.only_spool().coverage("ops")
        return done.stdout.decode().split(), texts, told

    def test_a_torch_for_hip_is_recorded_with_its_device(self):
        made, traces, told = self.run_program("6.3.42134")
        self.assertEqual(["1", "True"], made)
        self.assertIn("Cijk_Ailk", traces[0])
        self.assertEqual((1, 0), (told["recorded"], told["status"]))

    def test_a_profiler_before_use_device_is_asked_in_its_own_words(self):
        made, traces, _ = self.run_program("5.7.31921", profiler=OLD)
        self.assertEqual(["1", "True"], made)
        self.assertIn("Cijk_Ailk", traces[0])

    def test_no_window_opens_before_a_device_is_in_use(self):
        made, traces, told = self.run_program("6.3.42134", used=False)
        self.assertEqual((["0", "True"], []), (made, traces))
        self.assertEqual(("torch used no device in this process", 1), (told["why"], told["status"]))

    def test_a_torch_for_another_device_is_left_alone(self):
        made, traces, told = self.run_program(None)
        self.assertEqual((["0", "True"], []), (made, traces))
        self.assertEqual(("this torch uses no device", 1), (told["why"], told["status"]))

    def test_where_the_cuda_agent_gave_up_windows_stand_in_for_it(self):
        self.agent = 1
        made, traces, told = self.run_program(None, cuda="12.8")
        self.assertEqual(["1", "True"], made)
        self.assertIn("Cijk_Ailk", traces[0])
        self.assertEqual((1, 0), (told["recorded"], told["status"]))

    def test_where_the_cuda_agent_was_not_there_to_load_windows_stand_in_for_it(self):
        made, traces, told = self.run_program(None, cuda="12.8")
        self.assertEqual((["1", "True"], 1), (made, len(traces)))

    def test_where_the_cuda_agent_records_no_window_opens(self):
        self.agent = 0
        made, traces, told = self.run_program(None, cuda="12.8", CUDA_INJECTION64_PATH="/opt/native/libinferscope-agent.so")
        self.assertEqual((["0", "True"], []), (made, traces))
        self.assertEqual(("the CUDA agent recorded what the device did", 1), (told["why"], told["status"]))

    def test_a_program_without_modules_whose_device_the_agent_recorded_needs_no_windows(self):
        self.agent = 0
        injection = "/opt/native/libinferscope-agent.so"
        _, _, told = self.run_program(None, cuda="12.8", program=WITHOUT_MODULES, CUDA_INJECTION64_PATH=injection)
        self.assertEqual(("the CUDA agent recorded what the device did", 1), (told["why"], told["status"]))

    def test_a_program_without_modules_used_its_device_nonetheless(self):
        _, _, told = self.run_program("6.3.42134", program=WITHOUT_MODULES)
        self.assertIn("no module was called", told["why"])
        self.assertNotEqual(1, told["status"])

    def test_another_tool_that_cuda_loads_keeps_its_records(self):
        made, traces, told = self.run_program(None, cuda="12.8", CUDA_INJECTION64_PATH="/opt/other/profiler.so")
        self.assertEqual((["0", "True"], []), (made, traces))
        self.assertIn("CUDA_INJECTION64_PATH", told["why"])

    def test_windows_that_nobody_asked_for_stay_within_the_limit(self):
        ops_hooks = importlib.import_module("inferscope.hooks.ops_hooks")
        asked, automatic = ops_hooks.Windows(5, 1.0), ops_hooks.Windows(5, 1.0, automatic=True)
        self.assertEqual(ops_hooks.PAUSE_NS, asked.pause_ns(200_000_000))
        slowed_ns = 200_000_000 + 100_000_000
        self.assertLessEqual(slowed_ns / (automatic.pause_ns(200_000_000) + 1_000_000_000), 0.03)

    def test_windows_can_be_turned_off(self):
        made, _, told = self.run_program("6.3.42134", ops="off")
        self.assertEqual(("0", "turned off"), (made[0], told["why"]))


if __name__ == "__main__":
    unittest.main()
