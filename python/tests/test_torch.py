"""Hooks on the real torch and transformers. Runs where INFERSCOPE_TEST_TORCH=1; INFERSCOPE_REQUIRE_TORCH=1 fails
instead of skipping where the libraries are missing."""

import functools
import http.server
import json
import os
import platform
import shutil
import subprocess
import sys
import threading
import unittest

from support import REPOSITORY, Copies, Observed, environment, judged, tagged

REQUIRED = os.environ.get("INFERSCOPE_REQUIRE_TORCH") == "1"


def setUpModule():
    if not REQUIRED and os.environ.get("INFERSCOPE_TEST_TORCH") != "1":
        reason = "torch tests are off: set INFERSCOPE_TEST_TORCH=1 and use an interpreter with torch and transformers"
    else:
        try:
            import torch  # noqa: F401
            import transformers  # noqa: F401

            return
        except ImportError as error:
            reason = "torch tests need torch and transformers: %s" % error
    if REQUIRED:
        raise AssertionError(reason)
    print("skipped: " + reason, file=sys.stderr)
    raise unittest.SkipTest(reason)


MODEL = """\
import torch
from torch import nn
torch.manual_seed(0)
class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
    def forward(self, x):
        return torch.relu(self.linear(x))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Inner(), Inner()
    def forward(self, x):
        return self.b(self.a(x)) + x
net, x = Net().eval(), torch.ones(2, 8)
"""


class TorchCase(Observed):
    def run_torch(self, source, hooks="1"):
        """Runs a program, which finds torch imported under the probe, and returns the spool of its first process."""
        path = self.script("")
        path.write_text(source)
        pid, _ = self.run_copy(Copies.with_observed_torch(hooks), path)
        return self.spool_of(pid)

    def run_copy(self, copies, path, observed=True):
        """Runs a script and returns its process id and what it wrote to its standard output."""
        pid = copies.begin(self.folder, environment(self.spool_folder if observed else None), path)
        code, stderr = copies.end(), (self.folder / "stderr").read_text()
        self.assertEqual(0, code, stderr)
        self.assertNotIn("inferscope", stderr)
        return pid, (self.folder / "stdout").read_text()

    def spool_of(self, pid):
        spools = self.spools()
        for spool in spools:
            self.assert_sound(spool)
        return next(spool for spool in spools if spool.of("PROCESS")[0]["pid"] == pid)

    def run_alone(self, source):
        """Runs a program that imports torch itself, and returns its spool."""
        path = self.script("")
        path.write_text(source)
        self.run_python(path)
        return self.only_spool()


class TorchTest(TorchCase):
    def test_forward_is_recorded_once_per_outermost_call(self):
        spool = self.run_alone(MODEL + "for _ in range(3): net(x)\nnet.a(x)\nnn.Module.__call__(net, x)\n")
        self.assertEqual((4, 1), (len(spool.spans("forward Net")), len(spool.spans("forward Inner"))))
        self.assertEqual({4}, {span["activity"] for span in spool.spans("forward Net")})
        self.assertEqual(0, len(spool.spans("forward Linear")))
        self.assertEqual("program.py:18 <module>", spool.spans("forward Inner")[0]["where"])
        self.assertEqual(1, len(spool.spans("import torch")))
        self.assertEqual([0], [c["status"] for c in spool.coverage("hook:torch.compile")])

    def test_each_thread_has_its_own_outermost_call(self):
        spool = self.run_torch(MODEL + "import threading\n"
                               "threads = [threading.Thread(target=net, args=(x,)) for _ in range(3)]\n"
                               "[t.start() for t in threads]; [t.join() for t in threads]\n")
        self.assertEqual(3, len({span["tid"] for span in spool.spans("forward Net")}))

    def test_a_nested_call_has_no_frame_of_the_probe_and_chooses_as_pytorch_does(self):
        spool = self.run_torch("""\
import traceback
import torch
class Inner(torch.nn.Module):
    def forward(self, x):
        depths.append(len(traceback.extract_stack()))
        return x + 1
class Net(torch.nn.Module):
    def forward(self, x, scale=1):
        return inner(x=x) * scale
net, inner, x, depths, hooked = Net(), Inner(), torch.zeros(2), [], torch.nn.Module.__call__
net(x)
torch.nn.Module.__call__ = hooked.__wrapped__
net(x)
torch.nn.Module.__call__ = hooked
inner._compiled_call_impl = lambda x: x + 5
assert net(x, scale=2).tolist() == [10, 10]
assert depths[0] == depths[1] + 1, depths  # the outermost call's
""")
        self.assertEqual(2, len(spool.spans("forward Net")))

    def test_a_failing_forward_keeps_its_exception_and_the_next_call_is_recorded(self):
        spool = self.run_torch(MODEL + """\
try:
    net(torch.ones(2, 9))
except RuntimeError as error:
    assert "shapes" in str(error) and error.__context__ is None
else:
    raise SystemExit(3)
net(x)
""")
        self.assertEqual([2, 0], [span["flags"] for span in spool.spans("forward Net")])

    def test_the_passes_of_a_draft_are_told_from_those_of_the_target_of_the_same_class(self):
        spool = self.run_alone("""\
import torch
from transformers import LlamaConfig, LlamaForCausalLM
base = dict(vocab_size=64, num_attention_heads=2, num_key_value_heads=2, num_hidden_layers=1, bos_token_id=1, eos_token_id=None, pad_token_id=0)
target = LlamaForCausalLM(LlamaConfig(hidden_size=32, intermediate_size=32, **base)).eval()
draft = LlamaForCausalLM(LlamaConfig(hidden_size=16, intermediate_size=16, **base)).eval()
ids = torch.ones(1, 4, dtype=torch.long)
for _ in range(2):
    target.generate(ids, attention_mask=ids, max_new_tokens=8, do_sample=False, assistant_model=draft)
""")
        passes = spool.spans("forward LlamaForCausalLM")
        drafted = spool.spans("forward LlamaForCausalLM (draft)")
        self.assertEqual(2, len(spool.spans("generate")))
        self.assertLess(2, len(passes))
        self.assertLess(2, len(drafted))
        self.assertLess(drafted[0]["start_ns"], passes[0]["start_ns"])

    def test_padding_is_counted_where_an_attention_mask_fits_the_token_ids(self):
        spool = self.run_torch("""\
import numpy
import torch
class Text(torch.nn.Module):
    def forward(self, input_ids, attention_mask=None):
        return input_ids + 1
net, ids = Text(), torch.ones(2, 8, dtype=torch.long)
mask = torch.ones(2, 8, dtype=torch.long)
mask[0, 5:] = 0
net(ids, attention_mask=mask)
net(input_ids=ids, attention_mask=mask.bool())
net(ids[:, -1:], attention_mask=mask)  # a step with a cache
net(ids, attention_mask=mask[:, None, None])
net(ids, attention_mask=[[1] * 8] * 2)
net(ids, attention_mask=None)
net(ids)
mask[1, 6:] = 0
net(ids, attention_mask=mask)
""")
        self.assertEqual(8, len(spool.spans("forward Text")))
        self.assertEqual([16.0] * 3, [c["value"] for c in spool.of("COUNTER") if c["name"] == "model.batch_tokens"])
        self.assertEqual([3.0, 3.0, 5.0], [c["value"] for c in spool.of("COUNTER") if c["name"] == "model.batch_padding"])
        self.assertEqual([1.0, 1.0, 0.0], [c["value"] for c in spool.of("COUNTER") if c["name"] == "model.batch_filled"])

    def test_of_many_masks_some_are_read_and_the_others_counted(self):
        spool = self.run_torch("""\
import time
import numpy
import torch
class Text(torch.nn.Module):
    def forward(self, input_ids, attention_mask=None):
        return input_ids + 1
net, ids, mask = Text(), torch.ones(2, 8, dtype=torch.long), torch.ones(2, 8, dtype=torch.long)
for _ in range(16):
    net(ids, attention_mask=mask)
from inferscope.hooks.torch_hooks import _Masks
_Masks.next_ns = time.monotonic_ns() + 10**12
for _ in range(4):
    net(ids, attention_mask=mask)
net(ids[:, -1:], attention_mask=mask)  # a step with a cache
_Masks.next_ns = 0
net(ids, attention_mask=mask)
""")
        self.assertEqual([16.0] * 17, self.counted(spool, "batch_tokens"))
        self.assertEqual([4 * 16.0], self.counted(spool, "batch_skipped"))

    def counted(self, spool, name):
        return [c["value"] for c in spool.of("COUNTER") if c["name"] == "model." + name]

    def test_passes_that_run_as_in_training_are_counted(self):
        spool = self.run_torch("""\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Dropout(0.0))
    def forward(self, x):
        return {"logits": (self.layers(x),)}
net, x = Net(), torch.ones(3, 4)
net(x)
with torch.no_grad():
    net(x)
net.eval()
with torch.inference_mode():
    net(x)
net(x)
nn.Identity()(x)
nn.Identity()(x.clone().requires_grad_())  # made for gradients, but not by a graph
""")
        self.assertEqual(4, len(spool.spans("forward Net")))
        self.assertEqual([1.0] * 2, self.counted(spool, "graph_passes"))
        self.assertEqual([1.0] * 2, self.counted(spool, "dropout_passes"))
        self.assertEqual([1.0] * 2, self.counted(spool, "batch_norm_passes"))
        self.assertEqual([], self.counted(spool, "backward_passes"))

    def test_backward_passes_are_counted(self):
        spool = self.run_torch(MODEL + """\
net(x).sum().backward()
torch.autograd.grad(net(x).sum(), net.parameters())
""")
        self.assertEqual([1.0] * 2, self.counted(spool, "backward_passes"))

    def test_the_build_is_noted(self):
        spool = self.run_alone("import torch\n")
        notes = {note["key"]: note["value"] for note in spool.of("NOTE")}
        self.assertRegex(notes["torch.build"], r"^\d\S*$")
        self.assertRegex(notes["torch.target"], r"^(CUDA .*|HIP .*|CPU)$")

    def test_a_mask_without_memory_of_its_own_is_not_counted(self):
        spool = self.run_torch("""\
import numpy
import torch
class Text(torch.nn.Module):
    def forward(self, input_ids, attention_mask):
        return input_ids + attention_mask
net, ids = Text(), torch.ones(3, 2, 8, dtype=torch.long)
torch.func.vmap(lambda one: net(one, attention_mask=one))(ids)
net(ids[0], attention_mask=ids[0].to(torch.bfloat16))
net(ids[0], attention_mask=ids[0].to_sparse())
net(ids[0], attention_mask=ids[0])
""")
        self.assertEqual([True] * 4, [span["end_ns"] > 0 for span in spool.spans("forward Text")])
        self.assertEqual([16.0], [c["value"] for c in spool.of("COUNTER") if c["name"] == "model.batch_tokens"])

    def test_passes_in_float64_are_counted(self):
        spool = self.run_torch("""\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.index = nn.Parameter(torch.ones(1, dtype=torch.long), requires_grad=False)
        self.linear = nn.Linear(8, 8)
    def forward(self, x):
        return self.linear(x)
class Single(Net): pass
class Back(Net): pass
class Bfloat(Net): pass
class Other(Net): pass
class Empty(nn.Module):
    def forward(self, x):
        return x
x, wide = torch.ones(2, 8), torch.ones(2, 8, dtype=torch.float64)
net = Net().double()
net(wide); net(wide)
Single()(x)
back = Back().double()
back(wide)
back.float()(x)
Bfloat().bfloat16()(x.bfloat16())
Empty()(wide)
other = Other()
other(x)
other.linear = nn.Linear(8, 8).double()
other(wide)
torch.jit.script(nn.Sequential(nn.Linear(8, 8)).double())(wide)
""")
        passes = sorted((span["start_ns"], span["name"]) for span in spool.of("SPAN") if span["name"].startswith("forward "))
        counts = [c for c in spool.of("COUNTER") if c["name"] == "model.double_passes"]
        self.assertEqual([1.0] * 5, [c["value"] for c in counts])
        self.assertEqual(["Net", "Net", "Back", "Other", "RecursiveScriptModule"],
                         [[name for start, name in passes if start <= c["time_ns"]][-1][8:] for c in counts])

    def test_passes_in_float16_are_counted_where_the_cpu_converts_it(self):
        for converts, expected in ((True, ["Net", "Net"]), (False, [])):
            spool = self.run_torch("""\
import torch
from torch import nn
from inferscope.hooks import torch_hooks
torch_hooks._converts_half.append(%s)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
    def forward(self, x):
        return self.linear(x)
class Single(Net): pass
x = torch.ones(8, 8)
Single()(x)
few = Single().half()
few(x[:4].half())
net = Net().half()
net(x.half()); net(x.half())
net.float()(x)
Single().to("meta").half()(x.half().to("meta"))
""" % converts)
            passes = sorted((span["start_ns"], span["name"]) for span in spool.of("SPAN") if span["name"].startswith("forward "))
            counts = [c for c in spool.of("COUNTER") if c["name"] == "model.half_passes"]
            self.assertEqual(expected, [[name for start, name in passes if start <= c["time_ns"]][-1][8:] for c in counts])

    def test_without_an_accelerator_copies_are_not_touched(self):
        none = "from inferscope.hooks import torch_hooks\ntorch_hooks.DEVICE_NODES = ()\n"
        spool = self.run_alone(none + MODEL + "assert 'item' not in vars(torch.Tensor) and 'to' not in vars(torch.Tensor)\nx.sum().item()\n")
        self.assertEqual([(1, "no accelerator on this machine")],
                         [(c["status"], c["why"]) for c in spool.coverage("hook:torch.Tensor.item")])

    def test_copies_on_the_cpu_are_not_recorded_and_copies_elsewhere_are(self):
        spool = self.run_torch(MODEL + """\
assert x.sum().item() == 16.0 and x.tolist()[0][0] == 1.0 and x.numpy().shape == (2, 8)
assert x.cpu() is x and x.to("cpu") is x and x.to(torch.float64).dtype == torch.float64
assert x.to(device="cpu", dtype=torch.int64).dtype == torch.int64 and x.to(x) is x
net.to("cpu"); net.cpu()
meta = x.to("meta")
meta.to("meta", torch.float16)
x.to(device=torch.device("meta"))
x.to(meta)
net.to(device="meta")
try:
    meta.item()
except RuntimeError:
    pass
""", hooks="all")
        copies = [(span["name"], span["detail"], span["value"], span["activity"]) for span in spool.spans()
                  if span["name"].startswith(("Tensor.", "nn.Module."))]
        self.assertEqual([("Tensor.to", "H2D", 64, 5), ("Tensor.to", "D2D", 64, 5), ("Tensor.to", "H2D", 64, 5),
                          ("Tensor.to", "H2D", 64, 5), ("nn.Module.to", "H2D", 0, 5), ("Tensor.item", "D2H", 0, 6)], copies)

    def test_subclasses_and_overrides_behave_as_before(self):
        self.run_torch(MODEL + """\
import copy, inspect, io, pickle
seen = []
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
logged = torch.ones(2).as_subclass(Logged)
assert logged.sum().item() == 2.0 and "item" in seen
class Own(nn.Linear):
    def __call__(self, *args): return "mine"
assert Own(2, 2)(None) == "mine"
buffer = io.BytesIO()
torch.save(net.state_dict(), buffer)
buffer.seek(0)
other = copy.deepcopy(net)
assert other.load_state_dict(torch.load(buffer)).missing_keys == []
assert torch.equal(pickle.loads(pickle.dumps(other))(x), net(x))
assert inspect.signature(torch.load).parameters["weights_only"]
assert torch.equal(torch.fx.symbolic_trace(net)(x), net(x))
assert torch.equal(torch.jit.trace(net, x)(x), net(x))
scripted = torch.jit.script(nn.Sequential(nn.Linear(8, 8), nn.ReLU()))
assert scripted(x).shape == (2, 8)
""", hooks="all")

    def test_a_compilation_says_what_it_is_for(self):
        spool = self.run_torch("""\
import torch
@torch.compile(backend="eager", dynamic=False)
def scaled(x, factor, secret, batch):
    return x * factor + batch["bias"]
for length in 3, 4:
    scaled(torch.ones(2, length), 7, "a prompt", {"bias": torch.ones(length)})
""")
        self.assertEqual(["x [2, %d] float32, factor=7, batch[bias] [%d] float32" % (n, n) for n in (3, 4)],
                         [span["detail"] for span in spool.spans("torch.compile scaled")])

    def test_graph_breaks_tell_place_and_reason(self):
        spool = self.run_torch("""\
import torch
def step(x):
    y = x + 1
    print(end="")
    return y * 2
def loop(x):
    for _ in range(2):
        if x.sum().item() > 0:
            x = x + 1
    return x
torch.compile(step, backend="eager")(torch.ones(3))
torch.compile(loop, backend="eager")(torch.ones(3))
""")
        told = [span["detail"].split("\n") for span in spool.spans("graph break")]
        self.assertEqual(["program.py:4 step", "program.py:8 loop"], sorted({place.rpartition("/")[2] for place, _ in told}))
        self.assertTrue(all(reason for _, reason in told), told)

    def test_torch_compile_sees_the_same_graphs_and_gives_equal_results(self):
        program = MODEL + """\
import torch._dynamo as dynamo
graphs = []
def backend(graph, inputs):
    graphs.append([str(node) for node in graph.graph.nodes])
    return graph.forward
results = []
def check(function):
    dynamo.reset()
    results.append(function(x))
expected = net(x)
check(torch.compile(net, backend=backend))
check(torch.compile(net, backend=backend, fullgraph=True))
in_place = Net().eval()
in_place.load_state_dict(net.state_dict())
in_place.compile(backend=backend)
check(in_place)
check(torch.compile(lambda v: net(v.to(torch.float32)).cpu(), backend=backend, fullgraph=True))
def broken(v):
    v = net(v)
    dynamo.graph_break()
    return net(net.a(v) - net.a(v) + x)
results.append(broken(x)); check(torch.compile(broken, backend=backend)); assert torch.equal(results[-2], results[-1])
def reads(v):
    return net(v) * (v.sum().item() / 16.0)
check(torch.compile(reads, backend=backend))
for result in results[:4] + results[6:]:
    assert torch.equal(result, expected), (result, expected)
assert torch.equal(torch.compile(net, backend="eager")(x), expected)
exported = torch.export.export(net, (x,))
assert torch.equal(exported.module()(x), expected)
print(graphs)
print([str(node) for node in exported.graph.nodes])
"""
        path = self.script("")
        path.write_text(program)
        _, plain = self.run_copy(Copies.with_torch(), path, observed=False)
        for hooks in ("1", "all"):
            with self.subTest(hooks):
                self.assertEqual(plain, self.run_copy(Copies.with_observed_torch(hooks), path)[1])

    def test_data_loaders_and_loading_are_recorded(self):
        spool = self.run_torch(MODEL + """\
from torch.utils.data import DataLoader
assert len(list(DataLoader(list(range(10)), batch_size=4))) == 3
assert len(list(DataLoader(list(range(10)), batch_size=5, num_workers=1))) == 2
torch.save(net.state_dict(), "state.pt")
net.load_state_dict(torch.load("state.pt"))
""")
        self.assertEqual([0] * 7, [span["flags"] for span in spool.spans("DataLoader next")])
        self.assertEqual((1, 1), (len(spool.spans("torch.load")), len(spool.spans("load_state_dict"))))


class TransformersTest(TorchCase):
    PROGRAM = """\
import os, sys, torch
sys.path.insert(0, %r)
import llm_inference
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM
torch.manual_seed(0)
tokenizer = llm_inference.train_tokenizer()
model = LlamaForCausalLM(LlamaConfig(vocab_size=1000, bos_token_id=None, eos_token_id=None, pad_token_id=1, **llm_inference.SIZES["tiny"]))
tokenizer.save_pretrained("saved"); model.save_pretrained("saved")
tokenizer, model = AutoTokenizer.from_pretrained("saved"), AutoModelForCausalLM.from_pretrained("saved")
batch = tokenizer(["one two", "three"], return_tensors="pt", padding=True, return_token_type_ids=False)
ids = model.generate(**batch, max_new_tokens=5, do_sample=False, pad_token_id=1)
print(batch["input_ids"].shape[1], ids.tolist(), tokenizer.batch_decode(ids), tokenizer.encode("four"), tokenizer.decode([5, 6, 7]))
core = tokenizer.backend_tokenizer
print(core.encode("direct call").ids, core.decode([5, 6]))
""" % str(REPOSITORY / "examples")

    def test_a_history_that_grows_says_how_much_of_it_was_tokenized_before(self):
        spool = self.run_alone("""\
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
core = Tokenizer(models.WordLevel({"[UNK]": 0, "word": 1}, "[UNK]"))
core.pre_tokenizer = pre_tokenizers.Whitespace()
template = "{% for message in messages %}{{ message.content }}{% endfor %}"
tokenizer, talk = PreTrainedTokenizerFast(tokenizer_object=core, unk_token="[UNK]", chat_template=template), []
for turn in range(1, 4):
    tokenizer("word " * 100 * turn)
    talk.append({"role": "user", "content": "talk " * 100})
    tokenizer.apply_chat_template(talk)
    core.encode("core " * 100 * turn)
""")
        parts = {}
        for span in spool.spans("tokenize"):
            parts.setdefault(span["where"].split(":")[1].split()[0], []).append(span["detail"] or None)
        again = [None, "again 50", "again 66"]
        self.assertEqual({"8": again, "10": again}, {line: parts[line] for line in ("8", "10")})
        self.assertIn(parts.get("11"), (None, again))  # some versions of tokenizers cannot be wrapped

    def test_spans_of_tokenizer_generation_and_loading(self):
        path = self.script(self.PROGRAM)
        seen = self.run_python(path)
        self.assertEqual(self.run_copy(Copies.with_torch(), path, observed=False)[1], seen.stdout.decode())
        width = int(seen.stdout.split()[0])
        spool = self.only_spool()
        self.assertEqual([5 * 2], [span["value"] for span in spool.spans("generate")])
        self.assertEqual([2 * width, 2, 2, 2, 2], [span["value"] for span in spool.spans("forward LlamaForCausalLM")])
        batch, single, direct = spool.spans("tokenize")
        self.assertEqual((2 * width, 1), (batch["value"], batch["activity"]))
        self.assertTrue(single["value"] > 0 and direct["value"] > 0)
        self.assertEqual([(3, (width + 5) * 2), (3, 3), (3, 2)], [(s["activity"], s["value"]) for s in spool.spans("detokenize")])
        self.assertEqual({"program.py:10 <module>"}, {batch["where"]})
        for name in ("from_pretrained AutoTokenizer", "from_pretrained AutoModelForCausalLM", "import torch", "import transformers"):
            self.assertEqual([8], [span["activity"] for span in spool.spans(name)], name)
        failed = [c["source"] for c in spool.of("COVERAGE") if c["status"] == 2 and not c["source"].startswith("hook:tokenizers.")]
        self.assertEqual([], failed)


class Hub(http.server.BaseHTTPRequestHandler):
    """Serves the files of a folder as the Hugging Face hub serves those of a model."""

    def __init__(self, model, *arguments):
        self.model = model
        super().__init__(*arguments)

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.wfile.write(self.answer())

    def answer(self):
        file = self.model / self.path.split("?")[0].rsplit("/", 1)[-1]
        known = "/resolve/" in self.path and file.is_file()
        content = file.read_bytes() if known else b"{}"
        self.send_response(200 if known else 404)
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("ETag", '"%d-%s"' % (len(content), file.name))
        if not known:
            self.send_header("X-Error-Code", "EntryNotFound")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return content

    def log_message(self, *arguments):
        pass


class ExampleTest(Observed):
    def example(self, *arguments, observed=True):
        self.run_python(REPOSITORY / "examples" / "llm_inference.py", "--output", "out.json", "--model", "tiny", *arguments,
                        observed=observed)
        return json.loads((self.folder / "out.json").read_text())

    @tagged("slow")
    def test_each_option_changes_the_run(self):
        base = self.example("--rounds", "1")
        self.assertEqual(24, base["new_tokens"])
        plain, short, seeded, prompted, longer, stressed = self.examples_in_one_interpreter(
            [], ["--max-new-tokens", "3", "--batch-size", "2"], ["--seed", "1"], ["--prompt", "Another one."],
            ["--stress-mode", "--max-new-tokens", "24"], ["--stress-mode"])
        self.assertEqual(base["ids_sha256"], plain["ids_sha256"])
        self.assertEqual(6, short["new_tokens"])
        for changed in (seeded, prompted, longer):
            self.assertNotEqual(base["ids_sha256"], changed["ids_sha256"])
        self.assertEqual(256, stressed["new_tokens"])

    def examples_in_one_interpreter(self, *runs):
        """Runs the example, not observed, once with each list of arguments: importing torch and transformers takes longer than all of them."""
        path = self.script("""\
            import sys
            sys.path.insert(0, %r)
            import llm_inference
            for number, arguments in enumerate(%r):
                sys.argv = ["llm_inference.py", "--model", "tiny", "--rounds", "1", "--output", "%%d.json" %% number] + arguments
                llm_inference.main()
            """ % (str(REPOSITORY / "examples"), list(runs)))
        self.run_python(path, observed=False)
        return [json.loads((self.folder / ("%d.json" % number)).read_text()) for number in range(len(runs))]

    @tagged("slow")
    def test_a_model_of_the_hub_is_loaded_by_its_name(self):
        self.run_python(self.script("""\
            import sys
            sys.path.insert(0, %r)
            sys.argv = ["llm_inference.py", "--model", "tiny"]
            import llm_inference
            tokenizer, model, device = llm_inference.load(llm_inference.parse_options())
            tokenizer.save_pretrained("saved")
            model.save_pretrained("saved")
            """ % str(REPOSITORY / "examples")), observed=False)
        hub = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Hub, self.folder / "saved"))
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        self.addCleanup(hub.server_close)
        self.addCleanup(hub.shutdown)
        env = environment(None, HF_ENDPOINT="http://127.0.0.1:%d" % hub.server_port, HF_HOME=str(self.folder / "cache"))
        program = REPOSITORY / "examples" / "llm_inference.py"
        self.run_python(program, "--output", "hub.json", "--rounds", "1", "--model", "acme/small", env=env)
        self.run_python(program, "--output", "folder.json", "--rounds", "1", "--model", "saved", env=env)
        told = [json.loads((self.folder / name).read_text()) for name in ("hub.json", "folder.json")]
        self.assertEqual(told[0]["ids_sha256"], told[1]["ids_sha256"])
        refused = self.run_python(program, "--model", "../x y", env=env, exit_code=2)
        self.assertIn(b"a name on the hub, not '../x y'", refused.stderr)

    @tagged("slow")
    @judged
    def test_the_spans_agree_with_the_programs_own_clock(self):
        written = self.example("--rounds", "3")
        clocked = written["wall_ns"]
        phases = {}
        for event in written["traceEvents"]:
            phases[event["name"]] = phases.get(event["name"], 0) + round(event["dur"] * 1000)
        self.assertEqual(phases, {phase: ns for phase, ns in clocked.items() if phase not in ("rest", "total")})
        self.assertEqual(clocked["total"], sum(ns for phase, ns in clocked.items() if phase != "total"))
        spool = self.only_spool()
        for phase in ("load", "tokenization", "generation", "decoding"):
            spans_ns = sum(span["end_ns"] - span["start_ns"] for span in spool.spans(phase))
            self.assertAlmostEqual(clocked[phase], spans_ns, delta=3_000_000, msg=phase)


@tagged("native")
class AgentTest(Observed):
    """The real torch.profiler and the real agent, over stand-ins for libcuda and libcupti; this torch records no device, and says that it will."""

    PROGRAM = """\
import ctypes, time, torch
from torch.autograd.profiler import profile
cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0
def launch(): cuda.stub_launch(b"kernel", 7, ctypes.c_uint64(1000))
launch()
one = profile(use_kineto=True)
one.kineto_activities.add(torch.profiler.ProfilerActivity.CUDA)
with one:
    launch()
launch()
with profile(use_kineto=True):  # of the CPU alone
    launch()
"""

    def test_it_steps_aside_while_the_program_profiles_the_device_and_comes_back(self):
        if not shutil.which("gcc"):
            self.skipTest("no gcc on the PATH")
        for source, name in (("cuda", "libcuda.so.1"), ("cupti", "libcupti.so.12")):
            subprocess.run(["gcc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-DGENERATION=12", "-Wl,-soname," + name, "-o", str(self.folder / name),
                            str(REPOSITORY / "native/stubs" / (source + ".c"))], check=True)
        agent = REPOSITORY / "native" / ("linux-" + platform.machine().replace("_", "-")) / "libinferscope-agent.so"
        env = environment(self.spool_folder, CUDA_INJECTION64_PATH=agent, LD_LIBRARY_PATH=self.folder, STUB_DRIVER=12080,
                          INFERSCOPE_CUPTI=self.folder / "libcupti.so.12")  # A PyTorch for CUDA has loaded its own.
        self.run_python(self.script(self.PROGRAM), env=env)
        of_agent = next(spool for spool in self.spools() if spool.header.source.rstrip(b"\0") == b"cuda-agent")
        self.assert_sound(of_agent)
        self.assertEqual(3, len(of_agent.of("KERNEL")))
        begun, ended = of_agent.of("NOT_RECORDED")
        self.assertEqual((0, begun["start_ns"]), (begun["end_ns"], ended["start_ns"]))
        self.assertGreater(ended["end_ns"], ended["start_ns"])


if __name__ == "__main__":
    unittest.main()
