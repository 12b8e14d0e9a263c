"""Shared by the programs of the zoo: small real models, the steady loop, and the clock of the planted part.

Each program contains one planted bottleneck and measures it itself, so that a profiler's report of a run can be compared with the truth of the same
run. Options: --plant off runs without the bottleneck, --seconds sets the length of the
steady loop. At its end a program writes one line of JSON, to the file that ZOO_TRUTH names or to stdout.

With ZOO_TURN_MS in the environment a program takes turns with others: it stops its process group before its steady loop and after
each turn of that many milliseconds, at the end of a step, until SIGCONT. So runs that take turns see the machine at the same speed. The first step of
a turn is not counted, because other programs have used the caches since. With ZOO_ALTERNATE as well, it does not stop, but takes turns with itself:
in every other turn the bottleneck is not there.

With ZOO_UNMARKED in the environment no scopes are recorded. The file that ZOO_READY names is made when the steady loop begins.

With --models torch the models are of PyTorch alone: transformers is most of what a program loads.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
import time
import types

os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

try:
    if os.environ.get("ZOO_UNMARKED"):
        raise ImportError("no scopes")
    from inferscope import scope
except ImportError:
    @contextlib.contextmanager
    def scope(name):
        yield

VOCABULARY = 2000
WARM_UP_STEPS = 2


def _options():
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--plant", choices=("on", "off"), default="on", help="off: the bottleneck is not there")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of the steady loop (default 5)")
    parser.add_argument("--models", choices=("transformers", "torch"), default="transformers", help="what the models are made of")
    return parser.parse_args()


class _ThreadClock(threading.local):
    """The calling thread's wall time, CPU time and time spent runnable without a CPU, each in nanoseconds.

    The third is the second number of /proc/PID/task/TID/schedstat. For the rest of the wall time the thread was blocked.
    """

    def __init__(self):
        self.file = os.open("/proc/self/task/%d/schedstat" % threading.get_native_id(), os.O_RDONLY)

    def read(self):
        return time.perf_counter_ns(), time.thread_time_ns(), int(os.pread(self.file, 96, 0).split()[1])


class Plant:
    """The planted part: ``with plant:`` around it, on the thread that it slows down.

    kind is the ledger class that the time belongs to; part says which of its time does: "running", "blocked" or
    "queued" (runnable without a CPU). function is the function whose code is to blame. With pool, the thread computes
    together with all other threads of the process: its blocked time counts as queued as far as they were queued.
    causes: the classes that the largest part of a place's cost may have; such a part is clocked
    without a call of the system, at which a crowded machine would take the CPU away.
    also: names of functions that the function calls, which may be named in its place.
    besides: rules whose findings are true without the fault, too, such as of a model whose calls are brief.
    outside: the class as which the time shows without the probe, if that is another one.
    """

    def __init__(self, kind, function, part="running", pool=False, causes=(), also=(), besides=(), outside=""):
        self.kind, self.function, self.part, self.pool, self.causes, self.also, self.besides = kind, function, part, pool, causes, also, besides
        self.outside = outside
        self.spans = []
        self.ns = {"wall": 0, "running": 0, "queued": 0, "blocked": 0}
        self._open = None

    def __enter__(self):
        if self.causes:
            self._open = time.perf_counter_ns()
            return self
        self._pool = _others_ns() if self.pool else (0, 0)
        self._open = CLOCK.read()
        return self

    def __exit__(self, *error):
        if self.causes:
            end = time.perf_counter_ns()
            self.spans.append((self._open, end))
            if RUN.counts:
                self.ns["wall"] += end - self._open
                RUN.turns[-1]["planted_ns"] += end - self._open
            return False
        end = CLOCK.read()
        if RUN.counts:
            wall, running, queued = (after - before for before, after in zip(self._open, end))
            if self.pool:
                ran, starved = (after - before for before, after in zip(self._pool, _others_ns()))
                queued += min(wall - running - queued, ran + starved) * starved // max(1, ran + starved)
            for name, ns in (("wall", wall), ("running", running), ("queued", queued), ("blocked", wall - running - queued)):
                self.ns[name] += ns
                RUN.turns[-1]["planted_ns"] += ns if name == self.part else 0
        return False

    def add(self, ns, queued=0):
        """Adds time that was measured by other means, such as in another process.

        queued is the part of the wait in which that process was runnable without a CPU, which is the machine's fault.
        """
        if RUN.counts:
            self._add(ns, queued, RUN.turns[-1])

    def _add(self, ns, queued, turn):
        self.ns[self.part] += ns
        turn["planted_ns"] += ns
        turn["queued_elsewhere_ns"] += queued

    def add_waits(self, waits, work):
        """Adds this thread's waits for another thread's work.

        waits: (start, end) of each wait; work: (start, end, time on a CPU) of each piece of the other thread's work.
        Both are sorted and free of overlaps.
        """
        for start, end in waits:
            for begin, finish, running in work:
                shared = RUN.counted(max(start, begin), min(end, finish))
                if shared > 0 and start >= RUN.steady_start[0]:
                    worked = min(shared, shared * running // RUN.counted(begin, finish))
                    self._add(worked, shared - worked, RUN.turn_at(start))

    def describe(self):
        code = self.function.__code__
        return {"class": self.kind, "part": self.part, "file": os.path.basename(code.co_filename), "function": code.co_name,
                "planted_ns": max(0, self.ns[self.part]), "causes": self.causes, "also": self.also, "besides": self.besides, "outside": self.outside,
                "spans": self.spans if self.causes else [],
                "queued_elsewhere_ns": RUN.total("queued_elsewhere_ns"), "clocked": self.ns}


class _Run:
    """The steady loop by the main thread's clock: its begin, its steps, and its turns of several steps each; a single turn if the program does not
    take turns."""

    def __init__(self):
        self.steady_start = None
        self.counts = False
        self.turns, self.pauses = [], []
        self._begin = self._pause_start = None

    def begin(self):
        """Counts from here on, as a new turn."""
        self._begin = CLOCK.read()
        if self._pause_start:
            self.pauses.append((self._pause_start, self._begin[0]))
        if not self.steady_start and os.environ.get("ZOO_READY"):
            with open(os.environ["ZOO_READY"], "w", encoding="ascii") as file:
                file.write("%d\n" % os.getpid())
        self.steady_start = self.steady_start or self._begin
        self.turns.append({"start_ns": self._begin[0], "planted": PLANTED, "steps": 0, "ns": 0, "running_ns": 0, "queued_ns": 0, "queued_elsewhere_ns": 0,
                           "apart_ns": 0, "planted_ns": 0})
        self.counts = True

    def step(self):
        self.turns[-1]["steps"] += 1

    def clock(self):
        """Extends the turn until now; returns the length of the turn and of all turns, in nanoseconds."""
        for name, before, after in zip(("ns", "running_ns", "queued_ns"), self._begin, CLOCK.read()):
            self.turns[-1][name] = after - before
        return self.turns[-1]["ns"], self.total("ns")

    def turn_at(self, ns):
        return [turn for turn in self.turns if turn["start_ns"] <= ns][-1]

    def total(self, name):
        return sum(turn[name] for turn in self.turns)

    def pause(self):
        """Stops all processes of the group until SIGCONT, or changes whether the bottleneck is there. The time until the next turn begins does not
        count."""
        global PLANTED
        self.counts = False
        self._pause_start = CLOCK.read()[0]
        if os.environ.get("ZOO_ALTERNATE"):
            PLANTED = not PLANTED
        else:
            os.killpg(0, signal.SIGSTOP)

    def counted(self, start, end):
        """The length of [start, end) without pauses."""
        return end - start - sum(max(0, min(end, resume) - max(start, pause)) for pause, resume in self.pauses)


CLOCK, RUN = _ThreadClock(), _Run()
OPTIONS = _options()
PLANTED = OPTIONS.plant == "on"
TURN_NS = int(os.environ.get("ZOO_TURN_MS", "0")) * 1_000_000


def steady():
    """Yields step numbers: a few to warm up, then, under the scope "steady", for as long as --seconds says."""
    with scope("warm-up"):
        for step in range(WARM_UP_STEPS):
            yield step
    if TURN_NS:
        RUN.pause()
        yield WARM_UP_STEPS
    with scope("steady"):
        RUN.begin()
        number, length_ns = WARM_UP_STEPS, OPTIONS.seconds * 1e9
        while RUN.clock()[1] < length_ns:
            if TURN_NS and RUN.clock()[0] >= TURN_NS:
                RUN.pause()
                yield number
                RUN.begin()
            number += 1
            RUN.step()
            yield number
    RUN.counts = False


@contextlib.contextmanager
def apart():
    """Around work that makes the bottleneck and is no part of it: no saving counts it."""
    begin = CLOCK.read()
    yield
    wall, _, queued = (after - before for before, after in zip(begin, CLOCK.read()))
    if RUN.counts:
        RUN.turns[-1]["apart_ns"] += wall - queued


def finish(plant=None):
    """Writes the truth. A program without a plant is healthy."""
    truth = {"program": os.path.basename(sys.argv[0]), "plant": OPTIONS.plant, "steps": RUN.total("steps"), "steady_start_ns": RUN.steady_start[0],
             "steady_ns": RUN.total("ns"), "steady_running_ns": RUN.total("running_ns"), "steady_queued_ns": RUN.total("queued_ns"),
             "turns": RUN.turns, "planted": plant.describe() if plant else None}
    line = json.dumps(truth) + "\n"
    if os.environ.get("ZOO_TRUTH"):
        with open(os.environ["ZOO_TRUTH"], "w", encoding="utf-8") as file:
            file.write(line)
    else:
        sys.stdout.write(line)


def queued_ns(pid):
    """How long the main thread of a process has been runnable without a CPU so far."""
    with open("/proc/%d/task/%d/schedstat" % (pid, pid), encoding="ascii") as file:
        return int(file.read().split()[1])


def _others_ns():
    """How long all other threads of this process have been on CPUs, and runnable without a CPU, so far."""
    own, ran, starved = threading.get_native_id(), 0, 0
    for thread in os.listdir("/proc/self/task"):
        if int(thread) != own:
            with open("/proc/self/task/%s/schedstat" % thread, encoding="ascii") as file:
                times = file.read().split()
            ran, starved = ran + int(times[0]), starved + int(times[1])
    return ran, starved


def _torch():
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    torch.manual_seed(0)
    return torch


def _of_torch_alone(hidden, layers):
    """A decoder, or what sees pictures, with the calls and results of transformers' models."""
    torch = _torch()
    functional = torch.nn.functional

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.between = torch.nn.LayerNorm(hidden), torch.nn.LayerNorm(hidden)
            self.joined, self.out = torch.nn.Linear(hidden, 3 * hidden), torch.nn.Linear(hidden, hidden)
            self.up, self.down = torch.nn.Linear(hidden, 4 * hidden), torch.nn.Linear(4 * hidden, hidden)

        def forward(self, x, past):
            query, key, value = (part.unflatten(-1, (8, -1)).transpose(1, 2) for part in self.joined(self.before(x)).chunk(3, -1))
            if past:
                key, value = torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)
            attended = functional.scaled_dot_product_attention(query, key, value)
            x = x + self.out(attended.transpose(1, 2).flatten(2))
            return x + self.down(functional.gelu(self.up(self.between(x)))), (key, value)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.patches = torch.nn.Embedding(VOCABULARY, hidden), torch.nn.Conv2d(3, hidden, 16, 16)
            self.layers = torch.nn.ModuleList(Layer() for _ in range(layers))
            self.head = torch.nn.Linear(hidden, VOCABULARY)

        def forward(self, input_ids=None, pixel_values=None, past_key_values=None, use_cache=True):
            x = self.words(input_ids) if pixel_values is None else self.patches(pixel_values).flatten(2).transpose(1, 2)
            kept = []
            for layer, past in zip(self.layers, past_key_values or [None] * layers):
                x, pair = layer(x, past)
                kept.append(pair)
            return types.SimpleNamespace(logits=self.head(x), past_key_values=kept)

    return Model().eval()


def language_model(hidden=768):
    """A decoder of two wide layers: most of its time is in matrices, little in Python."""
    with scope("load model"):
        if OPTIONS.models == "torch":
            return _of_torch_alone(hidden, 2)
        _torch()
        from transformers import LlamaConfig, LlamaForCausalLM

        return LlamaForCausalLM(LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=hidden, intermediate_size=4 * hidden, num_hidden_layers=2, num_attention_heads=8,
            num_key_value_heads=8, max_position_embeddings=4096, bos_token_id=None, eos_token_id=None, pad_token_id=0)).eval()


def embedding_model(hidden=512):
    """A text encoder of three layers."""
    with scope("load model"):
        _torch()
        from transformers import BertConfig, BertModel

        return BertModel(BertConfig(
            vocab_size=VOCABULARY, hidden_size=hidden, intermediate_size=4 * hidden, num_hidden_layers=3, num_attention_heads=8)).eval()


def vision_model(hidden=256):
    """A vision transformer of three layers for pictures of 224 x 224."""
    with scope("load model"):
        if OPTIONS.models == "torch":
            return _of_torch_alone(hidden, 3)
        _torch()
        from transformers import ViTConfig, ViTModel

        return ViTModel(ViTConfig(
            hidden_size=hidden, intermediate_size=4 * hidden, num_hidden_layers=3, num_attention_heads=8)).eval()


def tokens(rows, length, seed=0):
    """Random token ids, rows x length."""
    torch = _torch()
    return torch.randint(3, VOCABULARY, (rows, length), generator=torch.Generator().manual_seed(seed))


def decode(model, ids, count):
    """Decodes count tokens greedily with the key-value cache and returns them, rows x count."""
    import torch

    output = model(input_ids=ids, use_cache=True)
    chosen = [output.logits[:, -1:].argmax(-1)]
    while len(chosen) < count:
        output = model(input_ids=chosen[-1], past_key_values=output.past_key_values, use_cache=True)
        chosen.append(output.logits[:, -1:].argmax(-1))
    return torch.cat(chosen, 1)


def embed(model, ids):
    """Embeds a batch: the mean of the last layer."""
    return model(input_ids=ids).last_hidden_state.mean(1)


def pictures(count, seed=0):
    """Random pictures as a batch for the vision model."""
    torch = _torch()
    return torch.rand((count, 3, 224, 224), generator=torch.Generator().manual_seed(seed))


WORDS = ("the profiler asks where time went and every request crosses tokenizer scheduler attention kernels sampler before "
         "a word appears when the device waits look at the host first batching trades latency for throughput").split()


def text(words, seed=0):
    """English-looking text."""
    return " ".join(WORDS[(seed + i * 7 + i * i % 11) % len(WORDS)] for i in range(words))
