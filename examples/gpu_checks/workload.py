"""The programs that lab/gpu-check observes: each launches a known amount of work and prints the amount as one line of JSON.

    workload.py WHAT [--steps N] [--profile FILE]

With --profile, torch.profiler also records the steps and writes its own trace.
"""

import argparse
import contextlib
import ctypes
import gzip
import json
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

from brief import LAUNCHES_OF_ONE, one_after_the_other
from turns import turn

WITHOUT_TORCH = ("no_cudart", "by_driver", "in_jax")  # torch brings libcudart and libcupti with it.
if sys.argv[1:2] and sys.argv[1] not in WITHOUT_TORCH:
    import torch

KERNELS_PER_STEP, COPIES, COPY_BYTES = 50, 20, 16 << 20


def adds(state, count=KERNELS_PER_STEP):
    """One kernel each."""
    for _ in range(count):
        state.add_(1)


def timed(work, steps):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(steps):
        work()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def timed_alone(work, options):
    """The seconds of the steps that are compared with other runs' seconds."""
    with profiler(options.profile), turn(options.steps) as steps:  # The profile is written after all turns.
        return timed(work, steps)


def profiler(file):
    if not file:
        return contextlib.nullcontext()
    return torch.profiler.profile(on_trace_ready=lambda one: one.export_chrome_trace(file))


def eager(options):
    state = torch.zeros(1024, device="cuda")
    adds(state)
    torch.cuda.synchronize()
    with profiler(options.profile):
        seconds = timed(lambda: adds(state), options.steps)
    adds(state)
    torch.cuda.synchronize()
    return {"kernels": (options.steps + 2) * KERNELS_PER_STEP, "outside": 2 * KERNELS_PER_STEP, "fills": 1, "seconds": seconds}


def launch_bound(options):
    """A decoder's step on one token: many small kernels."""
    layers = [torch.nn.Sequential(torch.nn.LayerNorm(512), torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512)) for _ in range(24)]
    model, state = torch.nn.Sequential(*layers).cuda().half().eval(), torch.rand(1, 512, device="cuda").half()
    timed(lambda: model(state), 20)
    return {"seconds": timed_alone(lambda: model(state), options)}


def compute_bound(options):
    square = torch.rand(8192, 8192, device="cuda")
    timed(lambda: square @ square, 3)
    return {"seconds": timed_alone(lambda: square @ square, options)}


def graph(options):
    state = torch.zeros(1024, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        adds(state, options.nodes)
    torch.cuda.synchronize()
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        adds(state, options.nodes)
    torch.cuda.synchronize()
    seconds = timed_alone(recorded.replay, options)
    return {"kernels": (options.steps + 1) * options.nodes, "fills": 1, "replays": options.steps, "in_replay": options.nodes, "seconds": seconds}


def compiled(options):
    """CUDA graphs that torch.compile makes."""
    model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(8)]).cuda().eval()
    state = torch.rand(4, 256, device="cuda")
    fast = torch.compile(model, mode="reduce-overhead")
    timed(lambda: fast(state), 10)
    return {"replays": options.steps, "seconds": timed(lambda: fast(state), options.steps)}


def copies(options):
    pageable = torch.zeros(COPY_BYTES, dtype=torch.uint8)
    pinned = torch.zeros(COPY_BYTES, dtype=torch.uint8).pin_memory()
    device = torch.zeros(COPY_BYTES, dtype=torch.uint8, device="cuda")
    for host in (pageable, pinned):
        for _ in range(COPIES):
            device.copy_(host, non_blocking=True)
            host.copy_(device, non_blocking=True)
    torch.cuda.synchronize()
    return {"copies": COPIES, "bytes": COPY_BYTES}


def child(number, steps):
    state = torch.zeros(1024, device="cuda")
    for _ in range(steps):
        adds(state)
    torch.cuda.synchronize()


def processes(options):
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=child, args=(number, options.steps)) for number in range(2)]
    for one in children:
        one.start()
    for one in children:
        one.join()
    return {"kernels": 2 * options.steps * KERNELS_PER_STEP, "fills": 2, "processes": 2}


def streams(options):
    """On a separate thread, in an NVTX range: work of one stream waits each time for work of another."""
    said = {}

    def work():
        state, event = torch.zeros(1024, device="cuda"), torch.cuda.Event()
        first, second = torch.cuda.Stream(), torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.nvtx.range("two streams"):
            for _ in range(options.steps):
                with torch.cuda.stream(first):
                    state.add_(1)
                event.record(first)
                second.wait_event(event)
                with torch.cuda.stream(second):
                    state.add_(1)
        torch.cuda.synchronize()
        said.update(thread=threading.get_native_id(), launches=2 * options.steps, waits=options.steps, range="two streams")
        time.sleep(1)  # The recorder learns the thread's id only while the thread is alive.

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return said


def threads(options):
    states = [torch.zeros(1024, device="cuda") for _ in range(100)]
    torch.cuda.synchronize()
    workers = [threading.Thread(target=adds, args=(state, options.steps)) for state in states]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    torch.cuda.synchronize()
    return {"kernels": 100 * options.steps}


def brief_threads(options):
    state = torch.zeros(1024, device="cuda")
    truth = one_after_the_other(lambda: adds(state, LAUNCHES_OF_ONE))
    torch.cuda.synchronize()
    return truth


def idle(options):
    state = torch.zeros(1024, device="cuda")
    adds(state)
    torch.cuda.synchronize()
    time.sleep(5)
    adds(state)
    torch.cuda.synchronize()
    return {"kernels": 2 * KERNELS_PER_STEP, "idle_s": 5}


def early(options):
    """A call of the driver after the agent's end: its handler is registered before the agent's."""
    version = ctypes.create_string_buffer(8)
    early.version = version  # Written at the program's very end.
    ctypes.CDLL(None).__cxa_atexit(ctypes.CDLL("libcuda.so.1").cuDriverGetVersion, version, None)
    state = torch.zeros(1024, device="cuda")
    adds(state)
    torch.cuda.synchronize()
    return {"kernels": KERNELS_PER_STEP}


def nvtx_fork(options):
    """A range before CUDA is in use; then a forked child uses CUDA."""
    with torch.cuda.nvtx.range("before CUDA"):
        child = os.fork()
    if child == 0:
        state = torch.zeros(1024, device="cuda")
        adds(state)
        torch.cuda.synchronize()
        sys.exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("the child failed")
    return {"kernels": KERNELS_PER_STEP}


# A kernel that does nothing; the checks count kernels of this name.
PTX = b""".version 6.0
.target sm_50
.address_size 64
.visible .entry elementwise_nothing() { ret; }
\0"""


def no_cudart(options):
    """The driver alone, as in a program into which cudart is linked, so that there is no libcudart to find. Run in a process without torch."""
    words = [sys.executable, os.path.abspath(__file__), "by_driver"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def by_driver(options):
    cuda, context, module, function = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()

    def call(name, *arguments):
        if getattr(cuda, name)(*arguments) != 0:
            sys.exit(name + " failed")

    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(function), module, b"elementwise_nothing")
    for _ in range(KERNELS_PER_STEP):
        call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, None, None)
    call("cuCtxSynchronize")
    return {"kernels": KERNELS_PER_STEP}


def until_told(options):
    """Launches until its standard input ends. Its first line says that CUDA is in use."""
    state = torch.zeros(1024, device="cuda")
    torch.cuda.synchronize()
    told, launched = threading.Thread(target=sys.stdin.read, daemon=True), 0
    told.start()
    print("ready", flush=True)
    while told.is_alive():
        adds(state, 1)
        torch.cuda.synchronize()
        launched += 1
        time.sleep(0.005)
    return {"kernels": launched}


def paced_windows(options):
    state = torch.zeros(1024, device="cuda")
    end = time.perf_counter() + 4
    while time.perf_counter() < end:
        adds(state, 1)
        torch.cuda.synchronize()
        time.sleep(0.005)
    return {}


def kernels_of_jax(folder):
    """How many operations of devices JAX's profiler wrote below a folder."""
    seen = 0
    for file in pathlib.Path(folder).rglob("*.trace.json.gz"):
        with gzip.open(file, "rt") as text:
            events = json.load(text)["traceEvents"]
        devices = {one["pid"] for one in events if one.get("name") == "process_name" and "/device:GPU" in one["args"]["name"]}
        seen += sum(1 for one in events if one.get("ph") == "X" and one["pid"] in devices)
    return seen


def in_jax(options):
    """Products before, during and after a profile of JAX's own."""
    import jax

    square = jax.numpy.ones((512, 512))

    def products():
        product = square
        for _ in range(options.steps):
            product = product @ square
        product.block_until_ready()

    products()
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            products()
        seen = kernels_of_jax(folder)
    products()
    return {"before": options.steps, "profiled": options.steps, "after": options.steps, "seen": seen}


def exits(options):
    """Ends in the way that --how names. Its work is printed before, so that it is known after any end."""
    state = torch.zeros(1024, device="cuda")
    for _ in range(options.steps):
        adds(state)
    torch.cuda.synchronize()
    if options.how in ("kill", "_exit"):
        time.sleep(1)  # At such an end no handler runs, so records that were not flushed are lost.
    print(json.dumps({"kernels": options.steps * KERNELS_PER_STEP, "fills": 1}), flush=True)
    if options.how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if options.how == "raise":
        raise SystemExit(3)
    if options.how == "_exit":
        os._exit(0)
    sys.exit(0)


def busy(options):
    square = torch.rand(4096, 4096, device="cuda")
    end = time.perf_counter() + 4
    while time.perf_counter() < end:
        for _ in range(20):
            square = (square @ square).clamp(0, 1)
        torch.cuda.synchronize()
    total = torch.cuda.mem_get_info()[1]
    return {"memory_total_bytes": total, "devices": torch.cuda.device_count()}


PROGRAMS = (eager, launch_bound, compute_bound, graph, compiled, copies, processes, streams, threads, brief_threads, idle, early, nvtx_fork, no_cudart, by_driver,
            paced_windows, until_told, in_jax, exits, busy)


def main():
    programs = {one.__name__: one for one in PROGRAMS}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=sorted(programs))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=KERNELS_PER_STEP, help="of a graph")
    parser.add_argument("--profile")
    parser.add_argument("--how", choices=("exit", "raise", "_exit", "kill"), default="exit")
    options = parser.parse_args()
    if options.what in WITHOUT_TORCH:
        return print(json.dumps(programs[options.what](options)), flush=True)
    with torch.no_grad():
        print(json.dumps(programs[options.what](options)), flush=True)


if __name__ == "__main__":
    main()
