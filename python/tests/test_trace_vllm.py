"""vLLM's tracer on a stand-in with the names of vLLM's own classes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import tagged
from test_trace_validate import safetensors

PYTHON_FOLDER = pathlib.Path(__file__).resolve().parent.parent
HAS_TORCH = os.environ.get("INFERSCOPE_TEST_TORCH") == "1"


def document(path):
    return json.loads(path.read_text())


VLLM = '''
import dataclasses, json, os, shutil
__version__ = "%(version)s"

class ModelRegistry:
    @staticmethod
    def get_supported_archs(): return ["Qwen2ForCausalLM"]

@dataclasses.dataclass
class SamplingParams:
    temperature: float = 1.0
    max_tokens: int = 16
    ignore_eos: bool = False

@dataclasses.dataclass
class EngineArgs:
    model: str
    tensor_parallel_size: int = 1
    dtype: str = "auto"
    enforce_eager: bool = False
    trust_remote_code: bool = False
    %(config)s

@dataclasses.dataclass
class Output:
    token_ids: list

class Answer:
    def __init__(self, request_id, tokens):
        self.request_id, self.outputs = request_id, [Output(list(range(tokens)))]

LIBRARIES = []

def register():
    """Operators under the names of vLLM's own, known to the dispatcher as those are."""
    import torch
    cache = lambda x: x.add(1)
    attention = lambda x: torch.ops._C_cache_ops.reshape_and_cache(x @ x)
    for space, name, run in (("_C_cache_ops", "reshape_and_cache", cache), ("vllm", "unified_attention", attention)):
        library = torch.library.Library(space, "DEF")
        library.define(name + "(Tensor x) -> Tensor")
        library.impl(name, run, "CPU")
        LIBRARIES.append(library)

class LLMEngine:
    """Prefills all requests in one step, then decodes; its profiler is PyTorch's, as vLLM's is."""
    @classmethod
    def from_engine_args(cls, args):
        register()
        engine = cls()
        engine.args, engine.requests, engine.profiler = args, {}, None
        return engine
    def add_request(self, request_id, prompt, params):
        assert isinstance(prompt, str) and prompt
        self.requests[request_id] = [0, params.max_tokens]
    def has_unfinished_requests(self): return bool(self.requests)
    def step(self):
        import torch
        torch.ops.vllm.unified_attention(torch.ones(4, 4)).mul(2)
        answers = []
        for name, request in list(self.requests.items()):
            request[0] += 1
            answers.append(Answer(name, request[0]))
            if request[0] == request[1]: del self.requests[name]
        return answers
    def start_profile(self):
        import torch
        self.profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
        self.profiler.start()
    def stop_profile(self):
        self.profiler.stop()
        folder = %(folder)s
        first = os.path.join(folder, "rank0.1.pt.trace.json.gz")
        self.profiler.export_chrome_trace(first)
        for rank in range(1, self.args.tensor_parallel_size):  # As its workers do, one file each.
            shutil.copy(first, os.path.join(folder, "rank%%d.1.pt.trace.json.gz" %% rank))
'''
NEW = {"version": "0.13.0", "config": "profiler_config: object = None", "folder": "self.args.profiler_config.torch_profiler_dir"}
OLD = {"version": "0.11.0", "config": "", "folder": 'os.environ["VLLM_TORCH_PROFILER_DIR"]'}
CONFIG = '''
import dataclasses
@dataclasses.dataclass
class ProfilerConfig:
    profiler: str = None
    torch_profiler_dir: str = ""
    torch_profiler_record_shapes: bool = False
'''


@unittest.skipUnless(HAS_TORCH, "SKIPPED: no Python with torch (INFERSCOPE_TEST_TORCH=1)")
@tagged("process", "torch")
class VllmTest(unittest.TestCase):
    """A stand-in with the names of vLLM's own classes, of before and since its profiler has a configuration."""

    def run_worker(self, version, architecture="Qwen2ForCausalLM", devices=1):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name)
        (folder / "site" / "vllm").mkdir(parents=True)
        (folder / "site" / "vllm" / "__init__.py").write_text(VLLM % version)
        (folder / "site" / "vllm" / "config.py").write_text(CONFIG)
        model = folder / "model"
        model.mkdir()
        (model / "config.json").write_text(json.dumps({"model_type": "qwen2", "vocab_size": 9, "architectures": [architecture]}))
        (model / "tokenizer.json").write_text("{}")
        (model / "model.safetensors").write_bytes(safetensors({"w": 4}))
        environment = dict(os.environ, PYTHONPATH="%s:%s" % (PYTHON_FOLDER, folder / "site"))
        output = folder / "out"
        done = subprocess.run(
            [sys.executable, "-B", "-m", "inferscope.trace", "worker", "--framework", "vllm", "--model-path", str(model), "--tracer",
             "vllm_profiler", "--output-dir", str(output), "--result", str(folder / "result.json"), "--tensor-parallel-size", str(devices)],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=str(folder))
        return done, output, document(folder / "result.json")

    def check(self, version):
        done, output, _ = self.run_worker(version)
        self.assertEqual(0, done.returncode, done.stdout.decode())
        rank = document(output / "vllm_phases.json")["ranks"][0]
        phases = rank["phases"]
        self.assertEqual("engine", rank["told_by"])
        self.assertEqual({"prefill": 1, "decode": 15}, {name: phase["steps"] for name, phase in phases.items()})
        for kind, name in (("attention", "vllm::unified_attention"), ("kv_cache", "_C_cache_ops::reshape_and_cache")):
            self.assertEqual([1, 15], [phases[phase][kind]["operator_count"] for phase in ("prefill", "decode")])
            self.assertGreater(phases["decode"][kind]["operator_time_us"], 0)
            self.assertEqual(16, document(output / "vllm_profile.json")[name]["count"])
        self.assertEqual(15, document(output / "vllm_profile.json")["aten::mm"]["count"] - 1)
        self.assertEqual([], document(output / "vllm_kernel_profile.json"))

    def test_the_profiler_of_today(self):
        self.check(NEW)

    def test_the_profiler_before_0_13(self):
        self.check(OLD)

    def test_each_worker_of_a_model_on_two_devices_is_told_apart(self):
        done, output, _ = self.run_worker(NEW, devices=2)
        self.assertEqual(0, done.returncode, done.stdout.decode())
        ranks = document(output / "vllm_phases.json")["ranks"]
        self.assertEqual(["rank0.1.pt.trace.json.gz", "rank1.1.pt.trace.json.gz"], [rank["trace"] for rank in ranks])
        self.assertEqual(ranks[0]["phases"], ranks[1]["phases"])
        self.assertEqual(32, document(output / "_OPERATIONS.json")["operators"]["aten::mm"]["count"])

    def test_what_the_installed_vllm_does_not_serve_is_unsupported(self):
        done, _, result = self.run_worker(NEW, "BertModel")
        self.assertEqual(3, done.returncode)
        self.assertIn("BertModel", result["reason"])


if __name__ == "__main__":
    unittest.main()
