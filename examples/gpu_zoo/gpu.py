"""Shared by the programs of the GPU zoo: the device, its clock, the steady loop and the truth.

The truth is measured on the device itself, by CUDA events around the planted bottleneck or around the device's wait. --stand-in runs a program on the
CPU with a simulated clock, which tests only the program's logic. --plant off runs without the bottleneck.
"""

import argparse
import contextlib
import json
import os
import statistics
import sys
import time

os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"

try:
    from inferscope import scope
except ImportError:
    @contextlib.contextmanager
    def scope(name):
        yield

WARM_UP_STEPS, NO_DEVICE = 5, 77

# Classes that may explain an idle device while the host prepares the next launches or returns from a wait.
LAUNCHING = ["framework.launch", "framework.launch-latency", "framework.dispatch", "framework.sync-return", "cpu.python"]


def _options():
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--plant", choices=("on", "off"), default="on", help="off: the bottleneck is not there")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of the steady loop (default 5)")
    parser.add_argument("--stand-in", action="store_true", help="run on the CPU, to test the program itself")
    return parser.parse_args()


class _StandInEvent:
    """Has the interface of torch.cuda.Event; its clock is the host's, in milliseconds."""

    __slots__ = ("at",)

    def record(self):
        self.at = time.perf_counter() * 1e3

    def elapsed_time(self, end):
        return end.at - self.at


class _StandInGraph:
    """A replay does nothing: the host has nothing to launch, and a device's work is not simulated."""

    def replay(self):
        pass


class Device:
    def __init__(self, torch, stand_in):
        self.torch, self.stand_in = torch, stand_in
        self.name = "cpu" if stand_in else "cuda"
        self.model = "stand-in" if stand_in else torch.cuda.get_device_name()

    def event(self):
        event = _StandInEvent() if self.stand_in else self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def synchronize(self):
        if not self.stand_in:
            self.torch.cuda.synchronize()

    def pinned(self, tensor):
        return tensor if self.stand_in else tensor.pin_memory()

    def graph(self, work):
        """A CUDA graph of work(), which must use the same tensors each time; replay() runs it."""
        if self.stand_in:
            work()
            return _StandInGraph()
        side = self.torch.cuda.Stream()
        side.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(side):
            for _ in range(3):
                work()
        self.torch.cuda.current_stream().wait_stream(side)
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            work()
        return graph


class Plant:
    """The planted part: intervals on the device, each between two events, or on the host.

    classes are the ledger classes that the time may belong to; function is the function to blame, if there is one.
    """

    def __init__(self, classes, function=None):
        self.classes = [classes] if isinstance(classes, str) else list(classes)
        self.function = function
        self._pairs, self._host_ns, self._last = [], 0, None

    @contextlib.contextmanager
    def on_device(self):
        begin = DEVICE.event()
        yield
        if RUN.start_ns:
            self._pairs.append((begin, DEVICE.event()))

    @contextlib.contextmanager
    def on_host(self):
        begin_ns = time.perf_counter_ns()
        yield
        if RUN.start_ns:
            self._host_ns += time.perf_counter_ns() - begin_ns

    def work_begins(self):
        """Called before the first launch of a step: the device has been idle since the last step's work ended."""
        if self._last is not None and RUN.start_ns:
            self._pairs.append((self._last, DEVICE.event()))

    def work_ends(self):
        self._last = DEVICE.event()

    def add_host(self, ns):
        self._host_ns += max(0, int(ns))

    def planted_ns(self):
        return int(sum(begin.elapsed_time(end) for begin, end in self._pairs) * 1e6) + self._host_ns


class _Run:
    start_ns = end_ns = steps = 0


def _open():
    try:
        import torch
    except ImportError:
        sys.exit("gpu zoo: torch is not installed")
    if not OPTIONS.stand_in and not torch.cuda.is_available():
        print("gpu zoo: torch sees no GPU; --stand-in tests the program on the CPU", file=sys.stderr)
        sys.exit(NO_DEVICE)
    torch.set_grad_enabled(False)
    torch.manual_seed(0)
    return torch, Device(torch, OPTIONS.stand_in)


OPTIONS = _options()
PLANTED = OPTIONS.plant == "on"
RUN = _Run()
torch, DEVICE = _open()


def steady():
    """Yields step numbers: a few to warm up, then, under the scope "steady", for as long as --seconds says. The device is idle at both ends."""
    with scope("warm-up"):
        for step in range(WARM_UP_STEPS):
            yield step
    DEVICE.synchronize()
    with scope("steady"):
        RUN.start_ns = time.perf_counter_ns()
        while time.perf_counter_ns() - RUN.start_ns < OPTIONS.seconds * 1e9:
            RUN.steps += 1
            yield WARM_UP_STEPS + RUN.steps
        DEVICE.synchronize()
        RUN.end_ns = time.perf_counter_ns()


def median_ns(work, times=20):
    """Median time of work() from an idle device to an idle device, in ns."""
    taken = []
    for _ in range(times):
        DEVICE.synchronize()
        begin_ns = time.perf_counter_ns()
        work()
        DEVICE.synchronize()
        taken.append(time.perf_counter_ns() - begin_ns)
    return statistics.median(taken)


def finish(plant=None, **more):
    """Writes the truth. A program without a plant is healthy."""
    planted = None
    if plant is not None:
        code = plant.function.__code__ if plant.function else None
        planted = {"classes": plant.classes, "planted_ns": plant.planted_ns(), "file": code and os.path.basename(code.co_filename),
                   "function": code and code.co_name}
    truth = {"program": os.path.basename(sys.argv[0]), "plant": OPTIONS.plant, "device": DEVICE.model, "steps": RUN.steps,
             "steady_ns": RUN.end_ns - RUN.start_ns, "planted": planted}
    truth.update(more)
    line = json.dumps(truth) + "\n"
    if os.environ.get("ZOO_TRUTH"):
        with open(os.environ["ZOO_TRUTH"], "w", encoding="utf-8") as file:
            file.write(line)
    else:
        sys.stdout.write(line)


def decoder(width=2048, layers=8):
    """A stack of layers as in a decoder's step on one token: many small kernels."""
    small = DEVICE.stand_in
    width, layers = (128, 2) if small else (width, layers)
    block = lambda: torch.nn.Sequential(torch.nn.LayerNorm(width), torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width))
    kind = torch.float32 if small else torch.float16
    return torch.nn.Sequential(*[block() for _ in range(layers)]).to(DEVICE.name, kind).eval(), width, kind
