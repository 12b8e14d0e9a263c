"""The programs of workload.py on the tests' stand-ins for libcuda and libcupti: the same commands and output, without GPU and torch.

    simulated.py WHAT [--steps N] [--profile FILE]

LD_LIBRARY_PATH contains the stand-ins. The device's times are simulated. The host's times, the agent and everything after it are real.
"""

import argparse
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time

from brief import LAUNCHES_OF_ONE, one_after_the_other
from turns import turn

KERNELS_PER_STEP, COPIES, COPY_BYTES = 50, 20, 16 << 20
ADD = b"void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>"
GEMM = b"gemm_64x64"
LAUNCH_S, REPLAY_S, PRODUCT_S = 40e-6, 1e-3, 1e-3  # Besides the stand-in, as in an eager operator, a replay, a product.
TO_DEVICE, TO_HOST = 1, 2
PAGEABLE, PINNED, DEVICE = 1, 2, 3
KERNEL, RUNTIME, MEMCPY = 10, 5, 1

cuda = ctypes.CDLL("libcuda.so.1")
cuda.stub_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64]
cuda.stub_copy_of.argtypes = [ctypes.c_uint64] + [ctypes.c_uint32] * 4
cuda.stub_graph.argtypes = [ctypes.c_int, ctypes.c_uint32]
cuda.stub_event.argtypes = [ctypes.c_uint32] * 3
cuda.stub_range.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_uint32]


def start():
    if cuda.cuInit(0) != 0:
        sys.exit("the stand-in for libcuda cannot be initialised")


def agent():
    """The agent as loaded by the stand-in; None if it was not loaded."""
    path = os.environ.get("CUDA_INJECTION64_PATH")
    return ctypes.CDLL(path) if path else None


def adds(count=KERNELS_PER_STEP, stream=7):
    for _ in range(count):
        cuda.stub_launch(ADD, stream, 1000)


def timed(work, steps):
    """In seconds of this process's CPU time, because only the host is real here, and other programs must not count."""
    begin = time.process_time()
    for _ in range(steps):
        work()
    return time.process_time() - begin


def work_for(seconds):
    """Uses this much CPU time."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def paced(count, name, seconds=LAUNCH_S):
    """Launches, each with as much host time as a framework needs for a launch."""
    for _ in range(count):
        cuda.stub_launch(name, 7, 1000)
        work_for(seconds)


class Profiler:
    """A client of CUPTI like Kineto, with the same order of calls; it first asks the agent to pause, as InferScope's probe does."""

    REQUEST = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t))
    COMPLETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    BYTES = 4 << 20

    def __init__(self, file):
        self.file, self.kernels, self.buffers = file, [], {}
        self.cupti = ctypes.CDLL("libcupti.so.13")
        self.cupti.cuptiActivityGetNextRecord.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p)]
        self.callbacks = self.REQUEST(self.request), self.COMPLETE(self.complete)

    def request(self, buffer, size, most):
        memory = ctypes.create_string_buffer(self.BYTES)
        self.buffers[ctypes.addressof(memory)] = memory
        buffer[0], size[0], most[0] = ctypes.addressof(memory), self.BYTES, 0

    def complete(self, context, stream, buffer, size, valid):
        record = ctypes.c_void_p()
        while buffer in self.buffers and self.cupti.cuptiActivityGetNextRecord(buffer, valid, ctypes.byref(record)) == 0:
            if ctypes.cast(record, ctypes.POINTER(ctypes.c_uint32))[0] == KERNEL:
                name = ctypes.cast(record.value + 104, ctypes.POINTER(ctypes.c_char_p))[0]
                self.kernels.append({"ph": "X", "cat": "kernel", "name": name.decode(), "pid": 0, "tid": 7, "ts": len(self.kernels), "dur": 1, "args": {}})

    def __enter__(self):
        if agent() is not None:
            agent().inferscope_agent_pause()
        self.cupti.cuptiActivityRegisterCallbacks(*self.callbacks)
        for kind in (KERNEL, RUNTIME, MEMCPY):
            self.cupti.cuptiActivityEnable(kind)

    def __exit__(self, *error):
        self.cupti.cuptiActivityFlushAll(1)
        for kind in (KERNEL, RUNTIME, MEMCPY):
            self.cupti.cuptiActivityDisable(kind)
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": self.kernels}, file)
        if agent() is not None:
            agent().inferscope_agent_resume()


class Subscriber(Profiler):
    """A client of CUPTI's interface for several subscribers, as JAX's profiler is one."""

    REQUEST = ctypes.CFUNCTYPE(None, *Profiler.REQUEST._argtypes_, ctypes.c_void_p)
    COMPLETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p)

    class Parameters(ctypes.Structure):
        _fields_ = [("bytes", ctypes.c_size_t), ("name", ctypes.c_char_p), ("other", ctypes.c_char_p), ("other_bytes", ctypes.c_size_t), ("several", ctypes.c_uint64)]

    def request(self, buffer, size, most, about):
        super().request(buffer, size, most)

    def complete(self, buffer, size, valid, about):
        self.cupti.cuptiActivityGetNextRecord = self.next_record
        super().complete(None, 0, buffer, size, valid)

    def next_record(self, buffer, valid, record):
        return self.cupti.cuptiActivityGetNextRecord_v2(self.handle, ctypes.c_void_p(buffer), ctypes.c_size_t(valid), record)

    def __enter__(self):
        self.handle = ctypes.c_void_p()
        parameters = self.Parameters(ctypes.sizeof(self.Parameters), b"simulated", None, 0, 1)
        if self.cupti.cuptiSubscribe_v2(ctypes.byref(self.handle), None, None, ctypes.byref(parameters)) != 0:
            sys.exit("CUPTI refuses the program's own profiler")
        self.cupti.cuptiActivityRegisterCallbacks_v2(self.handle, *self.callbacks)
        self.cupti.cuptiActivityEnable_v2(self.handle, KERNEL, None)
        return self

    def __exit__(self, *error):
        self.cupti.cuptiActivityFlushAll(1)
        self.cupti.cuptiActivityDisable_v2(self.handle, KERNEL, None)
        self.cupti.cuptiUnsubscribe(self.handle)


def in_jax(options):
    os.environ.update(STUB_SEVERAL="1", STUB_DRIVER="13030")
    start()
    adds(options.steps)
    with Subscriber(None) as own:
        adds(options.steps)
    adds(options.steps)
    return {"before": options.steps, "profiled": options.steps, "after": options.steps, "seen": len(own.kernels)}


def profiler(file):
    return Profiler(file) if file else contextlib.nullcontext()


def eager(options):
    start()
    adds()
    with profiler(options.profile):
        seconds = timed(adds, options.steps)
    adds()
    return {"kernels": (options.steps + 2) * KERNELS_PER_STEP, "outside": 2 * KERNELS_PER_STEP, "seconds": seconds}


def timed_alone(work, options):
    with profiler(options.profile), turn(options.steps) as steps:  # The profile is written after all turns.
        return timed(work, steps)


def launch_bound(options):
    start()
    return {"seconds": timed_alone(lambda: paced(100, ADD), options)}


def stepped(options):
    """Steps of ten launches and a millisecond of the host's work, which a scope of InferScope shows while device work is not recorded, too."""
    from inferscope import scope

    start()
    for _ in range(options.steps):
        with scope("decode step"):
            adds(10)
            work_for(PRODUCT_S)
    return {"kernels": 10 * options.steps}


def compute_bound(options):
    start()
    return {"seconds": timed_alone(lambda: paced(1, GEMM, PRODUCT_S), options)}


def graph(options):
    start()
    adds()

    def replay():
        cuda.stub_graph(options.nodes, 7)
        work_for(REPLAY_S)

    seconds = timed_alone(replay, options)
    return {"kernels": KERNELS_PER_STEP + options.steps * options.nodes, "replays": options.steps, "in_replay": options.nodes, "seconds": seconds}


def compiled(options):
    return graph(options)


def copies(options):
    start()
    for host in (PAGEABLE, PINNED):
        for _ in range(COPIES):
            cuda.stub_copy_of(COPY_BYTES, 7, TO_DEVICE, host, DEVICE)
            cuda.stub_copy_of(COPY_BYTES, 7, TO_HOST, DEVICE, host)
    return {"copies": COPIES, "bytes": COPY_BYTES}


def processes(options):
    words = [sys.executable, os.path.abspath(__file__), "eager", "--steps", str(options.steps - 2)]
    children = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for _ in range(2)]
    if any(child.wait() != 0 for child in children):
        sys.exit("a child failed")
    return {"kernels": 2 * options.steps * KERNELS_PER_STEP, "processes": 2}


def streams(options):
    start()
    said = {}

    def work():
        cuda.stub_range(b"two streams", 1, 1)
        for _ in range(options.steps):
            adds(1, 13)
            cuda.stub_event(13, 14, 3)
            adds(1, 14)
        cuda.stub_range(None, 0, 1)
        said.update(thread=threading.get_native_id(), launches=2 * options.steps, waits=options.steps, range="two streams")
        time.sleep(1)  # The recorder learns the thread's id only while the thread is alive.

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return said


def threads(options):
    start()
    workers = [threading.Thread(target=adds, args=(options.steps,)) for _ in range(100)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    return {"kernels": 100 * options.steps}


def brief_threads(options):
    start()
    return one_after_the_other(lambda: adds(LAUNCHES_OF_ONE))


def idle(options):
    start()
    adds()
    time.sleep(5)
    adds()
    return {"kernels": 2 * KERNELS_PER_STEP, "idle_s": 5}


def early(options):
    """A call of the driver after the agent's end: its handler was registered before the agent's."""
    version = ctypes.create_string_buffer(8)
    ctypes.CDLL(None).__cxa_atexit(cuda.cuDriverGetVersion, version, None)
    start()
    adds()
    return {"kernels": KERNELS_PER_STEP, "kept": ctypes.addressof(version) != 0}


def nvtx_fork(options):
    """A range before CUDA is in use, reported as NVTX would; then a forked child uses CUDA."""
    path = os.environ.get("NVTX_INJECTION64_PATH")
    if path:
        ctypes.CDLL(path).InitializeInjectionNvtx2(ctypes.create_string_buffer(64))
    child = os.fork()
    if child == 0:
        start()
        adds()
        os._exit(0) if options.how == "_exit" else sys.exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("the child failed")
    return {"kernels": KERNELS_PER_STEP}


def no_cudart(options):
    start()
    adds()
    return {"kernels": KERNELS_PER_STEP}


def paced_windows(options):
    start()
    end = time.perf_counter() + 4
    while time.perf_counter() < end:
        adds(1)
        time.sleep(0.005)
    return {}


def until_told(options):
    """Launches until its standard input ends. Its first line says that CUDA is in use."""
    start()
    told, launched = threading.Thread(target=sys.stdin.read, daemon=True), 0
    told.start()
    print("ready", flush=True)
    while told.is_alive():
        adds(1)
        launched += 1
        time.sleep(0.005)
    return {"kernels": launched}


def exits(options):
    start()
    for _ in range(options.steps):
        adds()
    if options.how in ("kill", "_exit"):
        time.sleep(1)  # At such an end no handler runs, so records that were not flushed are lost.
    print(json.dumps({"kernels": options.steps * KERNELS_PER_STEP}), flush=True)
    if options.how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if options.how == "raise":
        raise SystemExit(3)
    if options.how == "_exit":
        os._exit(0)
    sys.exit(0)


PROGRAMS = (eager, launch_bound, stepped, compute_bound, graph, compiled, copies, processes, streams, threads, brief_threads, idle, early, nvtx_fork, no_cudart, in_jax, paced_windows, until_told, exits)


def main():
    programs = {one.__name__: one for one in PROGRAMS}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=sorted(programs))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=KERNELS_PER_STEP)
    parser.add_argument("--profile")
    parser.add_argument("--how", choices=("exit", "raise", "_exit", "kill"), default="exit")
    options = parser.parse_args()
    print(json.dumps(programs[options.what](options)), flush=True)


if __name__ == "__main__":
    main()
