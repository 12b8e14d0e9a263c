"""Forward passes, as the shape recorder sees them: which are recorded, on which threads, and what they are. Runs where INFERSCOPE_TEST_TORCH=1."""

from shapes_support import SMALL, Recorded, operations, require_torch


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


class PassTest(Recorded):
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

    def test_a_program_with_fewer_passes_than_are_left_out_is_told(self):
        self.run_copy(SMALL + "for _ in range(6):\n    model(x)\n", SKIP_WARMUP=26)
        self.assertEqual("inferscope: no shapes are recorded: 6 forward passes, and the first 26 are left out\n", self.stderr)
        self.run_copy(SMALL + "model(x)\n", SKIP_WARMUP=26, RANK=1)
        self.assertEqual("", self.stderr, "other ranks have nothing to say")
        self.assertEqual([], sorted(path.name for path in self.folder.glob("shapes*")))

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

    def test_every_block_of_inference_mode_is_recorded_and_what_lies_between(self):
        rows = self.record(SMALL + """\
class Inside(nn.Module):
    def forward(self, x):
        with torch.inference_mode():
            x = torch.tanh(x)
        return torch.neg(x)
@torch.inference_mode()
def decorated(x):
    return model(x)
inside = Inside()
for _ in range(3):
    with torch.inference_mode():
        model(x)
    torch.abs(x)
    decorated(x)
    inside(x)
""")
        numbers = {name: [row["forward_pass"] for row in rows if row["operation"] == "aten.%s.default" % name] for name in ("relu", "abs", "tanh", "neg")}
        self.assertEqual({"relu": [1, 2, 4, 5, 7, 8], "abs": [1, 4, 7], "tanh": [3, 6, 9], "neg": [3, 6, 9]}, numbers)

    def test_a_mode_of_the_programs_own_is_asked_after_inference_mode(self):
        self.record(SMALL + """\
from torch.utils.flop_counter import FlopCounterMode
with torch.inference_mode():
    model(x)
with FlopCounterMode(display=False) as flops:
    torch.mm(x, x.t())
assert flops.get_total_flops() == 2 * 2 * 8 * 2, flops.get_total_flops()
""")

    def test_a_guard_that_is_left_unseen_does_not_end_the_recording(self):
        rows = self.record(SMALL + """\
for _ in range(3):
    guard = torch._C._InferenceMode(True)
    guard.__enter__()
    model(x)
    guard.__exit__(None, None, None)
model(x)
""")
        self.assertEqual([1, 2, 3, 4], [row["forward_pass"] for row in rows if row["operation"] == "aten.relu.default"])

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
        self.assertEqual(4, self.summary()["forward_passes"])

    def test_the_last_pass_is_whole_where_another_thread_begins_the_next(self):
        rows = self.record(SMALL + """\
import os, threading
inside, next_is_over = threading.Event(), threading.Event()
class Slow(nn.Module):
    def forward(self, x):
        inside.set()
        assert next_is_over.wait(60)
        return torch.tanh(model(x))
def other():
    assert inside.wait(60)
    model(torch.ones(5, 8))
    assert torch._C._len_torch_dispatch_stack() == 0
    next_is_over.set()
model(x)
thread = threading.Thread(target=other)
thread.start()
Slow()(x)
assert not os.path.exists("shapes.jsonl.log"), "the files are made when the last pass is over"
assert torch._C._len_torch_dispatch_stack() == 0
thread.join()
""", LOG_N_PASSES=2)
        self.assertEqual([(1, "aten.relu.default"), (2, "aten.relu.default"), (2, "aten.tanh.default")], [
            (row["forward_pass"], row["operation"]) for row in rows if row["operation"] in ("aten.relu.default", "aten.tanh.default")])
        self.assertEqual({2}, {row["outputs"]["shape"][0] for row in rows if row["operation"] == "aten.relu.default"})
        self.assertTrue(self.summary()["complete"])
