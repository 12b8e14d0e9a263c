"""Measures what recording tensor shapes costs, on a small language model at batch 1.

Each variant is a process of its own, a copy of one that has imported torch and built the model, and has computed nothing yet; CPU time of
all its threads is counted from the call of generate until the files are complete. The two variants of a comparison take turns after each token, on
one CPU, so that changes of the machine's speed affect both equally. The median of their
ratio over the rounds is printed with the lowest and the highest, and the range in which the median lies with 95 % confidence. "none" beside
"none again" is the A/A control.

    none       nothing is recorded
    null       an empty dispatch mode: the least that any dispatch mode in Python costs
    shapes     the recorder, every pass
    2 of 12    the recorder in two of twelve passes, compared with twelve passes without it
    json       a JSON line and a flush per operator, inside a dispatch mode
    other rank the recorder in a worker whose rank is not recorded

    lab/bench shapes [--rounds N] [--hidden N] [--layers N] [--tokens N] [--only VARIANT,...] [--python PATH]

Needs torch and transformers in the interpreter. Other load on the machine hardly changes CPU times, but it changes wall times.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from measuring import confident

PYTHON_FOLDER = pathlib.Path(__file__).resolve().parents[2] / "python"

PROGRAM = '''
import gc, json, os, sys, time
hidden, layers = int(sys.argv[1]), int(sys.argv[2])
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import Qwen2Config, Qwen2ForCausalLM, StoppingCriteria, StoppingCriteriaList
torch.set_num_threads(1)
torch.manual_seed(0)
config = Qwen2Config(hidden_size=hidden, intermediate_size=4 * hidden, num_hidden_layers=layers, num_attention_heads=8, num_key_value_heads=2,
                     vocab_size=2048, max_position_embeddings=4096)
model = Qwen2ForCausalLM(config).eval()
ids = torch.ones(1, 32, dtype=torch.long)

class Null(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))

class Lines(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.file, self.calls = open("lines.jsonl", "w"), 0
    def look(self, value):
        if isinstance(value, torch.Tensor):
            return {"shape": list(value.shape), "dtype": str(value.dtype)}
        if isinstance(value, (list, tuple)):
            return [self.look(one) for one in value]
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        names = [argument.name for argument in func._schema.arguments]
        inputs = {name: seen for name, seen in ((name, self.look(value)) for name, value in zip(names, args)) if seen}
        result = func(*args, **(kwargs or {}))
        self.calls += 1
        self.file.write(json.dumps({"call_id": self.calls, "forward_pass": 1, "operation": str(func), "inputs": inputs,
                                    "outputs": self.look(result)}) + "\\n")
        self.file.flush()
        return result

class Turns(StoppingCriteria):
    """Lets the other variant continue after each token."""
    def __init__(self, go, told):
        self.go, self.told = go, told
    def wait(self):
        os.read(self.go, 1)
    def __call__(self, ids, scores, **more):
        os.write(self.told, b"-")
        self.wait()
        return torch.zeros(len(ids), dtype=torch.bool)

def cpu_seconds(variant, tokens, turns):
    if variant in ("shapes", "2 of 12", "other rank"):
        from inferscope.shapes import startup
        startup.start()
    mode = {"null": Null, "json": Lines}.get(variant)
    turns.wait()
    start = time.process_time()
    def run():
        model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=tokens, min_new_tokens=tokens, do_sample=False, pad_token_id=0,
                       stopping_criteria=StoppingCriteriaList([turns]))
    if mode:
        with mode():
            run()
    else:
        run()
    if "inferscope.shapes.recording" in sys.modules:
        sys.modules["inferscope.shapes.current"].recording.finish()
    return time.process_time() - start

def begin(asked):
    """A copy that waits for its turn: (its pid, where to tell it, where it tells)."""
    (go, tell_go), (told, tell) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.chdir(asked["folder"])
        os.environ.update(asked["env"])
        os.write(tell, b"%f\\n" % cpu_seconds(asked["variant"], asked["tokens"], Turns(go, tell)))
        os._exit(0)
    os.close(go)
    os.close(tell)
    return pid, tell_go, told

os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
gc.collect()
gc.freeze()
results = os.dup(1)
os.dup2(2, 1)
for line in sys.stdin:
    waiting = [begin(asked) for asked in json.loads(line)]
    seconds = {}
    order = [copy[0] for copy in waiting]
    while waiting:
        pid, go, told = waiting.pop(0)
        os.write(go, b".")
        said = os.read(told, 100)
        if said == b"-":
            waiting.append((pid, go, told))
            continue
        os.close(go)
        os.close(told)
        if os.waitpid(pid, 0)[1]:
            sys.exit("a copy failed")
        seconds[pid] = float(said)
    os.write(results, json.dumps([seconds[pid] for pid in order]).encode() + b"\\n")
'''


class Copies:
    """Measures variants in copies of one process that has torch and the model."""

    def __init__(self, arguments):
        env = {key: value for key, value in os.environ.items() if not key.startswith(("INFERSCOPE_", "SGLANG_PROFILE_"))}
        env["PYTHONPATH"] = str(PYTHON_FOLDER)
        words = [arguments.python, "-B", "-c", PROGRAM, str(arguments.hidden), str(arguments.layers)]
        self.tokens, self.process = arguments.tokens, subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def cpu_seconds(self, variants):
        """CPU time of each variant's run in seconds, in turns."""
        with tempfile.TemporaryDirectory() as folder:
            asked = [self._asked(variant, os.path.join(folder, variant)) for variant in variants]
            self.process.stdin.write(json.dumps(asked) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("bench-shapes: %s gave no result" % " and ".join(variants))
            for variant in variants:
                if variant in ("shapes", "2 of 12") and not os.path.exists(os.path.join(folder, variant, "shapes.jsonl")):
                    raise SystemExit("bench-shapes: %s wrote no shapes" % variant)
        return json.loads(line)

    def _asked(self, variant, folder):
        os.mkdir(folder)
        env = {"SGLANG_PROFILE_SHAPES": "1"}
        if variant == "2 of 12":
            env.update(SGLANG_PROFILE_SHAPES_SKIP_WARMUP="6", SGLANG_PROFILE_SHAPES_LOG_N_PASSES="2")
        if variant == "other rank":
            env["SGLANG_PROFILE_SHAPES_RANK"] = "1"
        return {"variant": variant, "tokens": 12 if variant in ("12 passes", "2 of 12") else self.tokens, "folder": folder, "env": env}


VARIANTS = ("none", "null", "shapes", "json", "none again", "other rank", "12 passes", "2 of 12")
RATIOS = (("none again", "none", "A/A control"), ("null", "none", "an empty mode"), ("shapes", "none", "recording"), ("other rank", "none", "a rank that is not asked for"),
          ("json", "none", "a line and a flush per operator"), ("shapes", "null", "recording against an empty mode: at most 1.08"),
          ("json", "shapes", "recording is faster than lines by: at least 1.4"), ("2 of 12", "12 passes", "two passes of twelve: at most 1.12"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--only", metavar="VARIANT,...", help="these alone, of %s" % ", ".join(VARIANTS))
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    wanted = arguments.only.split(",") if arguments.only else list(VARIANTS)
    if os.sep in arguments.python:
        arguments.python = os.path.abspath(arguments.python)
    if not set(wanted) <= set(VARIANTS):
        parser.error("--only takes %s" % ", ".join(VARIANTS))
    copies = Copies(arguments)
    pairs = {ratio[:2]: [] for ratio in RATIOS if set(ratio[:2]) <= set(wanted)}
    for number in range(arguments.rounds):
        for pair, ratios in pairs.items():
            order = pair if number % 2 == 0 else pair[::-1]
            taken = dict(zip(order, copies.cpu_seconds(order)))
            ratios.append(taken[pair[0]] / taken[pair[1]])
            print("round %d: %s" % (number + 1, "  ".join("%s %.3f s" % (variant, taken[variant]) for variant in pair)), flush=True)
    for one, other, meaning in (ratio for ratio in RATIOS if ratio[:2] in pairs):
        ratios = sorted(pairs[one, other])
        low, high = confident(ratios)
        print("%-10s / %-9s %.3f [%.3f-%.3f], median within %.3f-%.3f  %s" % (
            one, other, statistics.median(ratios), ratios[0], ratios[-1], low, high, meaning))
