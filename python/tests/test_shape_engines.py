"""The shape recorder in engines: stand-ins with the module, class and method names of SGLang and vLLM, on real torch."""

import json
import signal
import subprocess
import sys
import urllib.request

from shapes_support import Recorded, operations, require_torch


def setUpModule():
    require_torch()


SGLANG = {
    "sglang.srt.model_executor.forward_batch_info": """\
        from enum import IntEnum, auto
        class ForwardMode(IntEnum):
            EXTEND = auto()
            DECODE = auto()
            MIXED = auto()
            IDLE = auto()
            def is_extend(self):
                return self in (ForwardMode.EXTEND, ForwardMode.MIXED)
            def is_decode(self):
                return self == ForwardMode.DECODE
        class ForwardBatch:
            def __init__(self, forward_mode, input_ids):
                self.forward_mode, self.input_ids = forward_mode, input_ids
        """,
    "sglang.srt.model_executor.model_runner": """\
        import torch
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding, self.head = torch.nn.Embedding(32, 8), torch.nn.Linear(8, 32)
            def forward(self, ids):
                return self.head(self.embedding(ids))
        class ModelRunner:
            def __init__(self, tp_rank):
                self.tp_rank, self.model = tp_rank, Model().eval()
                self.model(torch.zeros(99, dtype=torch.long))  # A dummy run, as engines do to measure memory: no forward pass of theirs.
            def forward(self, forward_batch, skip_attn_backend_init=False):
                return self.model.forward(forward_batch.input_ids)
            def sample(self, logits):
                return torch.argmax(logits[-1:], -1)
        """,
    "sglang.srt.managers.tp_worker": """\
        from sglang.srt.model_executor.model_runner import ModelRunner
        class TpModelWorker:
            def __init__(self, server_args, gpu_id, tp_rank):
                self.model_runner = ModelRunner(tp_rank)
            def forward_batch_generation(self, forward_batch):
                return self.model_runner.sample(self.model_runner.forward(forward_batch))
        """,
    "sglang.srt.managers.scheduler": """\
        import torch
        from sglang.srt.managers.tp_worker import TpModelWorker
        from sglang.srt.model_executor.forward_batch_info import ForwardBatch, ForwardMode
        def run_scheduler_process(server_args, port_args, gpu_id, tp_rank, pipe):
            torch.set_num_threads(1)
            torch.set_grad_enabled(False)
            worker = TpModelWorker(server_args, gpu_id, tp_rank)
            pipe.send("ready")
            while True:
                ids, new_tokens = pipe.recv()
                ids, mode, answer = torch.tensor(ids), ForwardMode.EXTEND, []
                for _ in range(new_tokens):
                    ids, mode = worker.forward_batch_generation(ForwardBatch(mode, ids)), ForwardMode.DECODE
                    answer += ids.tolist()
                pipe.send(answer)
        """,
    "sglang.launch_server": """\
        import argparse, json, multiprocessing, os, signal
        from http.server import BaseHTTPRequestHandler, HTTPServer
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--tp-size", type=int)
            server_args = parser.parse_args()
            from sglang.srt.managers.scheduler import run_scheduler_process
            context, pipes, workers = multiprocessing.get_context("spawn"), [], []
            for rank in range(server_args.tp_size):
                mine, its = context.Pipe()
                workers.append(context.Process(target=run_scheduler_process, args=(None, None, rank, rank, its)))
                pipes.append(mine)
                workers[-1].start()
            for pipe in pipes:
                assert pipe.recv() == "ready"
            class Handler(BaseHTTPRequestHandler):
                def do_POST(self):
                    asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                    ids = [ord(letter) % 32 for letter in asked["messages"][0]["content"]]
                    for pipe in pipes:
                        pipe.send((ids, asked["max_tokens"]))
                    answers = [pipe.recv() for pipe in pipes]
                    body = json.dumps({"choices": [{"message": {"content": str(answers[0])}}]}).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                def log_message(self, *args):
                    pass
            server = HTTPServer(("127.0.0.1", 0), Handler)
            def stop(number, frame):
                for worker in workers:
                    worker.kill()  # As kill_process_tree does.
                    worker.join()
                os._exit(0)
            signal.signal(signal.SIGTERM, stop)
            print(server.server_port, flush=True)
            server.serve_forever()
        if __name__ == "__main__":
            main()
        """,
}

VLLM = """\
    import torch
    class Runner:
        def __init__(self):
            self.requests, self.model = {}, torch.nn.Linear(8, 8)
        def execute_model(self, scheduler_output):
            total = sum(scheduler_output.num_scheduled_tokens.values())
            return self.model(torch.ones(total, 8))
    class Worker:
        def __init__(self, vllm_config, local_rank, rank):
            self.local_rank, self.rank = local_rank, rank
            self.model_runner = Runner()
            self.model_runner.model(torch.ones(64, 8))
        def execute_model(self, scheduler_output):
            return self.model_runner.execute_model(scheduler_output)
    """

GRAPHS = """\
import torch
base = torch._C._CUDAGraph
create = base.__new__ if torch.version.cuda else object.__new__
base.__new__ = lambda cls, *args: create(cls)
for name in ("capture_begin", "capture_end", "replay", "reset"):
    setattr(base, name, lambda self, *args, **kwargs: None)
torch.set_grad_enabled(False)
model, x = torch.nn.Linear(8, 4), torch.ones(2, 8)
model(x)
graph = torch.cuda.CUDAGraph.__new__(torch.cuda.CUDAGraph)  # The constructor of the base needs a device.
graph.capture_begin()
y = torch.tanh(torch.mm(x, torch.ones(8, 8)))
graph.capture_end()
class Replaying(torch.nn.Module):
    def forward(self, x):
        graph.replay()
        return x + 1
for _ in range(3):
    Replaying()(x)
"""


class EngineTest(Recorded):
    def libraries(self, sources):
        for name, source in sources.items():
            self.library(name, source)

    def test_a_server_of_two_workers_as_in_the_specification(self):
        self.libraries(SGLANG)
        env = self.shapes_environment(RANK=1, FILE="gpu1_shapes.jsonl")
        server = subprocess.Popen([sys.executable, "-m", "sglang.launch_server", "--tp-size", "2"], cwd=str(self.folder), env=env,
                                  stdout=subprocess.PIPE)
        port = int(server.stdout.readline())
        body = {"model": "default", "messages": [{"role": "user", "content": "Hello!"}], "max_tokens": 4}
        for _ in range(2):
            request = urllib.request.Request("http://127.0.0.1:%d/v1/chat/completions" % port, json.dumps(body).encode())
            answer = json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60))
            self.assertIn("message", answer["choices"][0])
        server.send_signal(signal.SIGTERM)
        self.assertEqual(0, server.wait(60))
        server.stdout.close()
        self.recover(self.folder / "gpu1_shapes.jsonl.log")
        rows, summary = self.rows("gpu1_shapes.jsonl"), self.summary("gpu1_shapes_summary.json")
        self.assert_consistent(rows, summary)
        self.assertEqual((1, 8), (summary["rank"], summary["forward_passes"]))
        marks = [(row["marker"], row["mode"]) for row in rows if "marker" in row]
        self.assertEqual(([("PREFILL_START", "EXTEND")] + [("DECODE_START", "DECODE")] * 3) * 2, marks)
        embedded = [row["inputs"]["indices"]["shape"] for row in rows if row.get("operation") == "aten.embedding.default"]
        self.assertEqual([[6], [1], [1], [1]] * 2, embedded)
        self.assertEqual(8, operations(rows).count("aten.argmax.default"))
        self.assertEqual(["gpu1_shapes.jsonl", "gpu1_shapes_summary.json"], sorted(path.name for path in self.folder.glob("*shapes*")))

    def test_vllm_says_prefill_while_a_prompt_is_not_computed(self):
        self.libraries({"vllm.v1.worker.gpu_worker": VLLM})
        rows = self.record("""\
            import types
            from types import SimpleNamespace as Some
            from vllm.v1.worker.gpu_worker import Worker
            worker = Worker(None, 0, 3)
            def step(scheduled, new=(), cached=(), computed=()):
                worker.execute_model(Some(num_scheduled_tokens=scheduled, scheduled_new_reqs=list(new), scheduled_cached_reqs=Some(
                    req_ids=list(cached), num_computed_tokens=list(computed), resumed_from_preemption=[False] * len(cached))))
            step({"a": 4}, new=["a"])
            worker.model_runner.requests["a"] = Some(num_prompt_tokens=6)
            step({"a": 2}, cached=["a"], computed=[4])
            step({"a": 1}, cached=["a"], computed=[6])
            step({"a": 1, "b": 5}, new=["b"], cached=["a"], computed=[7])
            step({})
            """, RANK=3)
        marks = [(row["forward_pass"], row["marker"], row["mode"]) for row in rows if "marker" in row]
        self.assertEqual([(1, "PREFILL_START", "prefill"), (2, "PREFILL_START", "prefill"), (3, "DECODE_START", "decode"),
                          (4, "PREFILL_START", "mixed")], marks)
        self.assertEqual([[4, 8], [2, 8], [1, 8], [6, 8], [0, 8]], [
            row["outputs"]["shape"] for row in rows if row.get("operation") == "aten.addmm.default"])
        self.assertEqual(3, self.summary()["rank"])

    def test_a_diffusion_worker_of_sglang_leaves_out_repetitions(self):
        self.libraries({"sglang.multimodal_gen.runtime.managers.gpu_worker": """\
            import torch
            class GPUWorker:
                def __init__(self, local_rank, rank):
                    self.local_rank, self.rank, self.model = local_rank, rank, torch.nn.Linear(8, 8)
                def execute_forward(self, batch):
                    for _ in range(50):
                        batch = self.model(batch)
                    return batch
            """})
        rows = self.record("""\
            import torch
            from sglang.multimodal_gen.runtime.managers.gpu_worker import GPUWorker
            torch.set_grad_enabled(False)
            GPUWorker(0, 2).execute_forward(torch.ones(1, 8))
            """, RANK=2)
        self.assertEqual({("aten.t.default", 50), ("aten.addmm.default", 50)}, {(row["operation"], row["count"]) for row in rows})
        self.assertEqual((2, True, 98), tuple(self.summary()[key] for key in ("rank", "dedupe_enabled", "dedupe_skipped_count")))


class UnseenTest(Recorded):
    def test_shapes_seen_at_a_graphs_capture_are_joined_to_its_replays(self):
        rows = self.record(GRAPHS, SKIP_WARMUP=1)
        first = [index for index, row in enumerate(rows) if row.get("marker") == "GRAPH_CAPTURE_START"][0]
        self.assertEqual({"marker": "GRAPH_CAPTURE_START", "graph": 1, "forward_pass": 0}, rows[first])
        captured = rows[first + 1:first + 4]
        self.assertEqual(["aten.ones.default", "aten.mm.default", "aten.tanh.default"], operations(captured))
        self.assertEqual("GRAPH_CAPTURE_END", rows[first + 4]["marker"])
        replays = [row for row in rows if row.get("marker") == "GRAPH_REPLAY"]
        ids = [captured[0]["call_id"], captured[-1]["call_id"]]
        self.assertEqual([{"marker": "GRAPH_REPLAY", "graph": 1, "captured_call_ids": ids, "forward_pass": n} for n in (2, 3, 4)], replays)
        self.assertEqual(3, operations(rows).count("aten.add.Tensor"))
        self.assertEqual({"GRAPH_CAPTURE_START": 1, "GRAPH_CAPTURE_END": 1, "GRAPH_REPLAY": 3}, self.summary()["markers"])

    def test_compiled_code_that_is_called_past_torch_compile_is_said_too(self):
        rows = self.record("""\
            import torch, torch._inductor.debug
            from torch._inductor.output_code import CompiledFxGraph
            from torch.export.pt2_archive._package import AOTICompiledModel
            graph = object.__new__(CompiledFxGraph)
            graph.current_callable, graph._compile_context, graph.compiled_fn_runner = (lambda inputs: [inputs[0] + 1]), None, None
            ahead = object.__new__(AOTICompiledModel)
            class Outer(torch.nn.Module):
                def forward(self, x):
                    try:
                        ahead(x)
                    except AttributeError:  # It has no library to run.
                        pass
                    return torch.tanh(graph([torch.relu(x)])[0])
            with torch.no_grad():
                Outer()(torch.ones(2, 3))
            """)
        self.assertEqual(["COMPILED_CALL", "aten.relu.default", "COMPILED_CALL", "aten.tanh.default"], [
            row.get("operation") or row["marker"] for row in rows])

    def test_a_higher_order_operator_runs_and_its_graphs_are_seen(self):
        rows = self.record("""\
            import torch
            class Graph(torch.nn.Module):
                def __init__(self, function):
                    super().__init__()
                    self.function = function
                def forward(self, x):
                    return self.function(x),
            graphs = Graph(torch.tanh), Graph(torch.relu)
            class Outer(torch.nn.Module):  # As the module of an exported program calls it.
                def forward(self, x):
                    return torch.ops.higher_order.cond(torch.tensor(False), *graphs, (x,))[0] + 1
            with torch.no_grad():
                for _ in range(2):
                    assert Outer()(torch.full((2, 3), -1.0))[0, 0] == 1
            """)
        names = [name for name in operations(rows) if name in ("higher_order.cond", "aten.relu.default", "aten.add.Tensor")]
        self.assertEqual(["higher_order.cond", "aten.relu.default", "aten.add.Tensor"] * 2, names)
        conditional = next(row for row in rows if row["operation"] == "higher_order.cond")
        self.assertEqual([[{"shape": [2, 3], "dtype": "torch.float32"}]], [
            value for value in conditional["inputs"].values() if isinstance(value, list)])
        self.assertEqual([{"shape": [2, 3], "dtype": "torch.float32"}], conditional["outputs"])
        self.assertEqual({}, self.summary()["problems"])

    def test_compiled_code_stays_compiled_and_each_call_of_it_is_said(self):
        env = self.shapes_environment()
        self.run_python(self.script("""\
            import torch
            torch.set_grad_enabled(False)
            compilations = []
            def backend(graph, inputs):
                compilations.append(graph)
                ran = []
                def run(*args):
                    ran.append(1)
                    runs.append(1)
                    return graph.forward(*args)
                return run
            runs = []
            class Inner(torch.nn.Module):
                def forward(self, x):
                    return torch.relu(x) + 1
            class Outer(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = torch.compile(Inner(), backend=backend)
                def forward(self, x):
                    return torch.tanh(self.inner(x * 2))
            model = Outer()
            for _ in range(3):
                assert abs(float(model(torch.ones(2, 3))[0, 0]) - 0.9950548) < 1e-5
            assert len(compilations) == 1 and len(runs) == 3, (compilations, runs)
            """), env=env)
        rows = self.rows()
        self.assertEqual(["aten.mul.Tensor", "COMPILED_CALL", "aten.tanh.default"] * 3, [
            row.get("operation") or row["marker"] for row in rows if row.get("operation") in (None, "aten.mul.Tensor", "aten.tanh.default")])
        self.assertEqual(3, self.summary()["markers"]["COMPILED_CALL"])


