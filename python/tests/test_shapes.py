"""What the shape recorder says of an operator, on real torch. Runs where INFERSCOPE_TEST_TORCH=1."""

from shapes_support import SMALL, Recorded, operations, require_torch


def setUpModule():
    require_torch()


class OperatorTest(Recorded):
    def test_the_promised_line_of_a_matrix_product(self):
        rows = self.record(SMALL + "with torch.no_grad():\n    model(x)\n")
        self.assertEqual({
            "call_id": 2, "forward_pass": 1, "operation": "aten.addmm.default",
            "inputs": {"self": {"shape": [4], "dtype": "torch.float32"}, "mat1": {"shape": [2, 8], "dtype": "torch.float32"},
                       "mat2": {"shape": [8, 4], "dtype": "torch.float32"}},
            "outputs": {"shape": [2, 4], "dtype": "torch.float32"}}, rows[1])
        self.assertEqual(["aten.t.default", "aten.addmm.default", "aten.relu.default"], operations(rows))
        summary = self.summary()
        self.assert_consistent(rows, summary)
        self.assertEqual(["rank", "total_operations", "forward_passes", "unique_operations", "operation_counts", "dedupe_enabled",
                          "dedupe_skipped_count", "unique_op_signatures"], list(summary)[:8])
        self.assertEqual((0, 3, 1, False, 0, True), tuple(summary[key] for key in (
            "rank", "total_operations", "forward_passes", "dedupe_enabled", "dedupe_skipped_count", "complete")))
        self.assert_nothing_left()

    def test_lists_of_tensors_and_what_has_none(self):
        rows = self.record(SMALL + """\
class Lists(nn.Module):
    def forward(self, x):
        a, b = torch.split(x, [3, 5], 1)
        x[[0], :]
        return torch.cat([a, b], 1), x.sum().item()
Lists()(x)
""")
        found = {row["operation"]: row for row in rows}
        tensor = lambda *shape, dtype="float32": {"shape": list(shape), "dtype": "torch." + dtype}  # noqa: E731
        self.assertEqual([tensor(2, 3), tensor(2, 5)], found["aten.split_with_sizes.default"]["outputs"])
        self.assertEqual({"tensors": [tensor(2, 3), tensor(2, 5)]}, found["aten.cat.default"]["inputs"])
        self.assertEqual({"self": tensor(2, 8), "indices": [tensor(1, dtype="int64")]}, found["aten.index.Tensor"]["inputs"])
        self.assertEqual([], found["aten._local_scalar_dense.default"]["outputs"])

    def test_an_overload_that_is_called_in_a_way_of_its_own_is_called_so(self):
        self.record(SMALL + """\
from torch.utils._python_dispatch import _get_current_dispatch_mode
class Own(type(torch.ops.aten.neg.default)):
    calls = 0
    def __call__(self, *args, **kwargs):
        Own.calls += 1
        return super().__call__(*args, **kwargs)
own = Own.__new__(Own)
own.__dict__.update(torch.ops.aten.neg.default.__dict__, _op=lambda x: torch.neg(x))
model(x)
for _ in range(2):
    _get_current_dispatch_mode().__torch_dispatch__(own, (), (x,), {})
assert Own.calls == 2, Own.calls
""")

    def test_device_and_stride_where_asked(self):
        rows = self.record(SMALL + "with torch.no_grad():\n    model(x)\n", more={"INFERSCOPE_SHAPES_FIELDS": "stride,device"})
        self.assertEqual({"shape": [8, 4], "dtype": "torch.float32", "device": "cpu", "stride": [1, 8]}, rows[1]["inputs"]["mat2"])

    def test_a_failing_operator_is_there_and_its_exception_is_the_programs_own(self):
        rows = self.record(SMALL + """\
class Broken(nn.Module):
    def forward(self, x):
        return torch.mm(x, x)
try:
    Broken()(x)
except RuntimeError as error:
    assert type(error) is RuntimeError and "cannot be multiplied" in str(error), error
    print(error)
model(x)
""")
        failed = rows[0]
        self.assertEqual(("aten.mm.default", None), (failed["operation"], failed["outputs"]))
        self.assertEqual({"self": {"shape": [2, 8], "dtype": "torch.float32"}, "mat2": {"shape": [2, 8], "dtype": "torch.float32"}},
                         failed["inputs"])
        self.assertEqual({"error_type": "RuntimeError", "error_message": self.stdout.strip()}, failed["error"])
        self.assertEqual("aten.relu.default", rows[-1]["operation"])
        self.assertNotIn("error", rows[-1])

    def test_numbers_in_the_place_of_tensors_and_tensors_given_by_name(self):
        rows = self.record(SMALL + """\
class Mixed(nn.Module):
    def forward(self, x):
        torch.mul(x, 2.0), torch.mul(x, x), torch.mul(x, torch.ones(8)), torch.mul(x, 3)
        torch.nn.functional.layer_norm(x, (8,), None, None), torch.nn.functional.layer_norm(x, (8,), torch.ones(8), None)
        return torch.add(x, x, out=torch.empty(2, 8)), torch.where(x > 0, x, 1.0)
Mixed()(x)
""")
        tensor = lambda *shape: {"shape": list(shape), "dtype": "torch.float32"}  # noqa: E731
        products = [row["inputs"] for row in rows if row["operation"] == "aten.mul.Tensor"]
        x = tensor(2, 8)
        self.assertEqual([{"self": x}, {"self": x, "other": x}, {"self": x, "other": tensor(8)}, {"self": x}], products)
        norms = [row["inputs"] for row in rows if row["operation"] == "aten.native_layer_norm.default"]
        self.assertEqual([{"input": x}, {"input": x, "weight": tensor(8)}], norms)
        self.assertEqual([{"self": x, "other": x, "out": x}], [row["inputs"] for row in rows if row["operation"] == "aten.add.out"])

    def test_training_is_recorded_backwards_too(self):
        rows = self.record(SMALL + "torch.set_grad_enabled(True)\nmodel.train()\nmodel(x).sum().backward()\n")
        self.assertIn("aten.threshold_backward.default", operations(rows))

    def test_fifty_steps_of_diffusion_are_written_once_with_their_number(self):
        rows = self.record(SMALL + """\
latent = torch.zeros(2, 8)
class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)
    def forward(self, latent, step):
        return torch.tanh(self.inner(latent)) * 0.5
denoise = Denoiser().eval()
with torch.no_grad():
    for step in range(50):
        latent = torch.sub(latent, denoise(latent, step), alpha=0.02)
""", DEDUPE=1)
        summary = self.summary()
        self.assertEqual({50}, {row["count"] for row in rows})
        self.assertEqual(["aten.t.default", "aten.addmm.default", "aten.tanh.default", "aten.mul.Tensor", "aten.sub.Tensor"], operations(rows))
        self.assertEqual((5, 5, 245, True), tuple(summary[key] for key in (
            "total_operations", "unique_op_signatures", "dedupe_skipped_count", "dedupe_enabled")))
        self.assertEqual(50, summary["forward_passes"])

    def test_a_diffusion_program_leaves_out_repetitions_unless_told_otherwise(self):
        self.library("diffusers.pipelines.pipeline_utils", "")
        source = "import diffusers.pipelines.pipeline_utils\n" + SMALL + "model(x)\nmodel(x)\n"
        self.assertEqual([2], list({row["count"] for row in self.record(source)}))
        self.assertTrue(self.summary()["dedupe_enabled"])
        self.record(source, DEDUPE=0)
        self.assertFalse(self.summary()["dedupe_enabled"])
