"""Tracers on tiny models of real architectures: each in the process that users get."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import PYTHON_FOLDER, Copies, tagged

HAS_TORCH = os.environ.get("INFERSCOPE_TEST_TORCH") == "1"

IN_ONE_PROCESS = """
import json, pathlib, sys
sys.path.insert(0, sys.argv[1])
import torch
from inferscope.trace import context, registry, validate

model, mode, output, names = sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]), sys.argv[5].split(",")
ctx = context.Context(context.Options(model, mode=mode), validate.validate(model))
for name in names:
    torch._dynamo.reset()
    (output / name).mkdir(parents=True)
    operations = registry.load()[name]().run(ctx, output / name)
    (output / name / "operations.json").write_text(json.dumps(operations))
(output / "facts.json").write_text(json.dumps(ctx.facts))
"""


def document(path):
    return json.loads(path.read_text())


@unittest.skipUnless(HAS_TORCH, "SKIPPED: no Python with torch (INFERSCOPE_TEST_TORCH=1)")
@tagged("process", "torch")
class TracersTest(unittest.TestCase):
    """Four architectures, made once."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.copies = Copies.with_torch()
        made, said = cls.run_copy(pathlib.Path(__file__).with_name("tiny_models.py"), holder.name)
        assert made == 0, said
        (cls.folder / "traced_model.py").write_text(IN_ONE_PROCESS)

    @classmethod
    def run_copy(cls, *words):
        """Runs a script and returns its exit code and what it said."""
        cls.copies.begin(cls.folder, dict(os.environ), *words)
        code = cls.copies.end()
        return code, (cls.folder / "stdout").read_text() + (cls.folder / "stderr").read_text()

    def trace(self, model, mode, *names):
        output = self.folder / "out" / model / mode / names[0]
        code, said = self.run_copy(self.folder / "traced_model.py", PYTHON_FOLDER, self.folder / model, mode, output, ",".join(names))
        self.assertEqual(0, code, said[-3000:])
        return output

    def check_operators(self, output, mode, attention):
        """The profiler and the dispatcher saw the same step; the dispatcher below autograd, the profiler all layers."""
        dispatched = document(output / "torch_dispatch" / "torch_dispatch.json")
        profiled = document(output / "torch_profiler" / "torch_profile.json")
        matrices = sum(row["count"] for name in ("aten.mm.default", "aten.addmm.default") for row in dispatched.get(name, []))
        rows = profiled.get("aten::mm", []) + profiled.get("aten::addmm", [])
        self.assertEqual(matrices, sum(row["count"] for row in rows))
        self.assertTrue(all(row["cpu_time_total"] >= row["self_cpu_time_total"] >= 0 for row in rows))
        self.assertTrue(any(row["stack"] for row in rows) or mode == "train", "no stack")
        self.assertTrue(all(row["input_shapes"] for row in rows))
        self.assertEqual(mode == "train", any("Backward0" in name for name in profiled))
        self.assertFalse([name for name in profiled if ".py(" in name])
        self.assertTrue(any(attention in name for name in dispatched), sorted(dispatched))
        self.assertEqual([], document(output / "torch_profiler" / "torch_kernel_profile.json"))
        traces = list((output / "torch_profiler" / "trace").glob("*.pt.trace.json"))
        self.assertEqual(1, len(traces))
        self.assertTrue(document(traces[0])["traceEvents"])

    def check_graphs(self, output, mode):
        graph = document(output / "print_fx" / "print_fx.json")
        self.assertEqual("fx_graph", graph["type"])
        self.assertEqual(set(range(graph["graph_count"])), {node["graph"] for node in graph["nodes"]})
        names = {(node["graph"], node["name"]) for node in graph["nodes"]}
        self.assertEqual(len(names), len(graph["nodes"]))
        for node in graph["nodes"]:
            self.assertTrue(all((node["graph"], user) in names for user in node["users"]))
        text = (output / "print_aten_ops" / "print_aten.txt").read_text()
        self.assertIn("===== Graph 0 =====", text)
        self.assertIn("torch.ops.aten.", text)
        self.assertEqual(mode == "train", "# backward" in text)

    def check(self, model, mode, attention, graphs=True):
        names = ["torch_profiler", "torch_dispatch"] + (["print_fx", "print_aten_ops"] if graphs else [])
        output = self.trace(model, mode, *names)
        self.check_operators(output, mode, attention)
        if graphs:
            self.check_graphs(output, mode)
        facts = document(output / "facts.json")
        self.assertEqual(mode == "train", "loss" in facts)
        if mode == "train":
            self.assertEqual("labels", facts["loss_kind"])
            self.assertGreater(facts["loss"], 0)
            self.assertGreater(facts["parameters_with_gradient"], 10)

    @tagged("slow")
    def test_a_decoder_in_evaluation(self):
        self.check("decoder", "eval", "scaled_dot_product")

    def test_a_decoder_in_training(self):
        self.check("decoder", "train", "scaled_dot_product")

    def test_an_encoder_in_evaluation(self):
        self.check("encoder", "eval", "scaled_dot_product", graphs=False)

    @tagged("slow")
    def test_an_encoder_in_training(self):
        self.check("encoder", "train", "bmm", graphs=False)  # With dropout attention is written out.

    @tagged("slow")
    def test_an_encoder_with_decoder_in_evaluation(self):
        self.check("encoder-decoder", "eval", "scaled_dot_product", graphs=False)

    @tagged("slow")
    def test_an_encoder_with_decoder_in_training(self):
        self.check("encoder-decoder", "train", "bmm", graphs=False)

    def test_a_vision_model_in_evaluation(self):
        self.check("vision", "eval", "convolution")

    @tagged("slow")
    def test_a_vision_model_in_training(self):
        self.check("vision", "train", "convolution", graphs=False)

    def test_dynamo_tells_graphs_and_breaks(self):
        found = document(self.trace("vision", "eval", "dynamo") / "dynamo" / "dynamo.json")
        self.assertEqual(found["graph_count"], len(found["graphs"]))
        self.assertGreater(found["op_count"], 10)
        self.assertEqual(found["graph_break_count"], sum(found["break_reasons"].values()))

    @tagged("slow")
    def test_inductor_leaves_its_code_and_kernels(self):
        folder = self.trace("vision", "eval", "torch_inductor") / "torch_inductor"
        kernels = document(folder / "torch_inductor_kernels.json")
        self.assertTrue(all({"kernel_name", "ptx", "cubin", "launch_config"} == set(kernel) for kernel in kernels))
        self.assertTrue(any("fused" in kernel["kernel_name"] for kernel in kernels), kernels)
        listed = (folder / "torch_inductor.txt").read_text().split("\n")[:-1]
        self.assertTrue(all((folder / path).is_file() for path in listed))
        self.assertTrue(any("ir_post_fusion" in path for path in listed), listed)
        self.assertFalse([path for path in listed if "/tmp" in path])


if __name__ == "__main__":
    unittest.main()
