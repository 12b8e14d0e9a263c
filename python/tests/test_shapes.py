"""The shape recorder on real torch: what is recorded, when, for whom, and what of it survives. Runs where INFERSCOPE_TEST_TORCH=1."""

from shapes_support import SMALL, Recorded, operations, require_torch
from support import environment


def setUpModule():
    require_torch("transformers")


LLM = """\
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM
torch.manual_seed(0)
config = Qwen2Config(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                     vocab_size=64, max_position_embeddings=128)
model = Qwen2ForCausalLM(config).eval()
ids = torch.ones(1, 7, dtype=torch.long)
out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=5, min_new_tokens=5, do_sample=False, pad_token_id=0)
assert out.shape == (1, 12), out.shape
"""


class RecordTest(Recorded):
    imports = ("transformers",)

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

    def test_an_llms_prefill_and_decode_by_what_generate_says(self):
        rows = self.record(LLM)
        marks = [(row["marker"], row["forward_pass"]) for row in rows if "marker" in row]
        self.assertEqual([("PREFILL_START", 1)] + [("DECODE_START", n) for n in range(2, 6)], marks)
        self.assert_consistent(rows, self.summary())
        prefill = [row for row in rows if row.get("operation", "").startswith("aten._scaled_dot_product")]
        self.assertEqual([7, 7, 1, 1, 1, 1, 1, 1, 1, 1], [row["inputs"]["query"]["shape"][2] for row in prefill])
        self.assertEqual([7, 7, 8, 8, 9, 9, 10, 10, 11, 11], [row["inputs"]["key"]["shape"][2] for row in prefill])
        self.assertIn("aten.argmax.default", operations(rows))

    def test_chunks_of_a_long_prompt_are_all_prefill(self):
        rows = self.record(LLM.replace("do_sample=False", "do_sample=False, prefill_chunk_size=4"))
        self.assertEqual(["PREFILL_START"] * 2 + ["DECODE_START"] * 4, [row["marker"] for row in rows if "marker" in row])

    def test_an_encoder_has_passes_and_no_markers(self):
        rows = self.record("""\
            import torch
            from transformers import BertConfig, BertModel
            model = BertModel(BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=32)).eval()
            with torch.no_grad():
                for length in (3, 5):
                    model(torch.ones(1, length, dtype=torch.long))
            """)
        self.assertEqual([], [row for row in rows if "marker" in row])
        self.assertEqual({1, 2}, {row["forward_pass"] for row in rows})
        self.assertEqual(2, self.summary()["forward_passes"])

    def test_warm_up_is_skipped_and_passes_are_counted(self):
        rows = self.record(SMALL + "for _ in range(6):\n    model(x)\nimport json\njson.load(open('shapes_summary.json'))\n",
                           SKIP_WARMUP=2, LOG_N_PASSES=2)
        self.assertEqual({3, 4}, {row["forward_pass"] for row in rows})
        self.assertEqual(2, self.summary()["forward_passes"])
        self.assert_consistent(rows, self.summary())

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

    def test_all_threads_that_run_modules(self):
        rows = self.record(SMALL + """\
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(3) as pool:
    list(pool.map(model, [torch.ones(n, 8) for n in range(1, 31)]))
""")
        firsts = sorted(row["outputs"]["shape"][0] for row in rows if row["operation"] == "aten.relu.default")
        self.assertEqual(list(range(1, 31)), firsts)
        self.assertEqual(30, self.summary()["forward_passes"])

    def test_a_mode_of_the_programs_own_keeps_its_place(self):
        rows = self.record(SMALL + """\
from torch.utils.flop_counter import FlopCounterMode
with FlopCounterMode(display=False) as flops:
    model(x)
assert flops.get_total_flops() == 2 * 2 * 8 * 4, flops.get_total_flops()
before = torch._C._len_torch_dispatch_stack()
assert before == 0, before
model(x)
with FlopCounterMode(display=False) as flops:
    model(x)
assert flops.get_total_flops() == 2 * 2 * 8 * 4
""")
        self.assertEqual(3, operations(rows).count("aten.addmm.default"))

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

    def test_after_the_last_pass_no_thread_keeps_the_mode(self):
        self.record(SMALL + """\
from concurrent.futures import ThreadPoolExecutor
import threading
meeting = threading.Barrier(3)
def work(_):
    meeting.wait()
    model(x)
    during = torch._C._len_torch_dispatch_stack()
    meeting.wait()
    for _ in range(9):
        model(x)
    return during, torch._C._len_torch_dispatch_stack()
with ThreadPoolExecutor(3) as pool:
    assert list(pool.map(work, range(3))) == [(1, 0)] * 3
""", LOG_N_PASSES=4)
        self.assertIn(self.summary()["forward_passes"], (3, 4))  # The fourth is cut short where another thread begins the fifth.

    def test_training_is_recorded_backwards_too(self):
        rows = self.record(SMALL + "torch.set_grad_enabled(True)\nmodel.train()\nmodel(x).sum().backward()\n")
        self.assertIn("aten.threshold_backward.default", operations(rows))


class ActivationTest(Recorded):
    def test_nothing_happens_unless_asked(self):
        for value in ("0", ""):
            env = self.shapes_environment()
            env["SGLANG_PROFILE_SHAPES"] = value
            self.run_python(self.script(SMALL + """\
model(x)
import sys
assert not [name for name in sys.modules if name.startswith("inferscope")]
assert torch._C._len_torch_dispatch_stack() == 0
"""), env=env)
        self.assertEqual(["program.py", "spools"], sorted(path.name for path in self.folder.iterdir()))

    def test_a_program_without_torch_loads_nothing_and_leaves_nothing(self):
        self.run_python("-c", "import sys; print(len(sys.modules), 'mmap' in sys.modules, 'json' in sys.modules)", env=self.shapes_environment())
        self.assertEqual(["spools"], sorted(path.name for path in self.folder.iterdir()))

    def test_only_the_rank_asked_for_or_all_in_files_of_their_own(self):
        source = SMALL + "model(x)\n"
        self.run_copy(source, RANK=1, more={"RANK": "0"})
        self.assertFalse((self.folder / "shapes.jsonl").exists())
        self.record(source, RANK=1, more={"RANK": "1"})
        self.assertEqual(1, self.summary()["rank"])
        self.run_copy(source, RANK="all", more={"LOCAL_RANK": "3"})
        self.assertEqual(3, self.summary("shapes_rank3_summary.json")["rank"])

    def test_a_pool_of_ranked_workers(self):
        for method in ("spawn", "fork"):
            with self.subTest(method):
                self.run_python(self.script("""\
                    import os, sys
                    def work(rank):
                        os.environ["RANK"] = str(rank)
                        import torch
                        torch.set_num_threads(1)
                        torch.nn.Linear(8, rank + 1)(torch.ones(2, 8))
                    if __name__ == "__main__":
                        import multiprocessing
                        context = multiprocessing.get_context(%r)
                        workers = [context.Process(target=work, args=(rank,)) for rank in range(2)]
                        [worker.start() for worker in workers]
                        [worker.join() for worker in workers]
                        assert [worker.exitcode for worker in workers] == [0, 0]
                    """ % method, method + ".py"), env=self.shapes_environment(RANK="all", FILE=method + ".jsonl"))
                for rank in range(2):
                    rows = self.rows("%s_rank%d.jsonl" % (method, rank))
                    self.assertEqual([2, rank + 1], rows[-1]["outputs"]["shape"])
                    self.assertEqual(rank, self.summary("%s_rank%d_summary.json" % (method, rank))["rank"])
        self.assert_nothing_left()

    def test_two_processes_of_one_rank_never_share_a_file(self):
        self.record(SMALL + """\
import os
model(x)
pid = os.fork()
if pid == 0:
    model(torch.ones(5, 8))
    raise SystemExit(0)
assert os.waitpid(pid, 0)[1] == 0
model(x)
""")
        child = [path.name for path in self.folder.glob("shapes_pid*.jsonl")]
        self.assertEqual(1, len(child))
        self.assertEqual([2, 2], [row["outputs"]["shape"][0] for row in self.rows() if row["operation"] == "aten.relu.default"])
        self.assertEqual([5], [row["outputs"]["shape"][0] for row in self.rows(child[0]) if row["operation"] == "aten.relu.default"])

    def test_a_senseless_setting_is_said_and_the_default_is_used(self):
        self.record(SMALL + "model(x)\n", SKIP_WARMUP="some")
        self.assertEqual("inferscope: SGLANG_PROFILE_SHAPES_SKIP_WARMUP=some is not a number; 0 is used\n", self.stderr)
        self.assertEqual(1, self.summary()["forward_passes"])
        self.record(SMALL + "model(x)\n", FIELDS="size,device")
        self.assertEqual("inferscope: SGLANG_PROFILE_SHAPES_FIELDS: size is not known; device and stride are\n", self.stderr)
        self.assertEqual("cpu", self.rows()[0]["inputs"]["self"]["device"])

    def test_beside_the_probe_the_report_is_told_what_recording_costs(self):
        env = dict(environment(self.spool_folder), SGLANG_PROFILE_SHAPES="1")
        self.run_python(self.script(SMALL + "for _ in range(200):\n    model(x)\n"), env=env)
        costs = {record["recorder"]: record for record in self.only_spool().of("OVERHEAD")}
        self.assertEqual({"python-probe", "shapes"}, set(costs))
        shapes = costs["shapes"]
        self.assertEqual(600, shapes["events"])
        self.assertTrue(600 * 1_000 < shapes["wall_ns"] < shapes["cpu_ns"] < 600 * 1_000_000, shapes)

    def test_a_folder_that_cannot_be_written_costs_the_program_nothing(self):
        (self.folder / "file").write_text("")
        self.run_copy(SMALL + "print(model(x).shape, model(x).shape)\n", FILE="file/shapes.jsonl")
        self.assertEqual(1, self.stderr.count("\n"), self.stderr)
        self.assertIn("inferscope: shapes are not recorded: ", self.stderr)
