"""Operators on demand: short windows of torch.profiler inside the run (``inferscope run --ops``).

Kineto can only be started by the thread that imported torch, so windows open and close where that thread calls a
module, after a few calls of warm-up. Each is written as a Kineto trace beside the spools; its stamps are Unix times,
which the spool's clock records map to the axis. Windows never overlap the program's own profiler: when the program
starts one, an open window is closed first, and no further window opens.

On machines with a device ``inferscope run`` requests them by default (``INFERSCOPE_OPS=auto``), for programs in which
only PyTorch's profiler can record kernels and copies: in a torch for HIP, and in one for CUDA if the CUDA agent found
no usable libcupti. They open once a device is in use, and at such distances that their cost stays within the limit for
recording.
"""

import os
import sys
from _thread import allocate_lock, get_ident
from time import monotonic_ns, thread_time_ns

from .. import _recorder
from . import torch_hooks
from .._hook import Hook
from .._signals import pass_on
from .._spool_format import FILE_HEADER, FILE_HEADER_BYTES, FILE_HEADER_CLOSED, NOT_NEEDED, NOT_RECORDED, OK, PROFILER

SOURCE = "ops"
WARM_UP_CALLS = 3
PAUSE_NS = 500_000_000
LONGEST_S, MOST = 10.0, 100
AUTO, OFF = "auto", "off"
AUTO_WINDOWS = "5x1"
# share of the time for windows that the user did not request; a window is assumed to slow the program by SLOWED
LIMIT = 0.03
SLOWED = 0.1


def parse(text):
    """``3x0.5`` as (windows, seconds of each). Raises ValueError."""
    number, _, seconds = text.partition("x")
    windows, length_s = int(number), float(seconds or 0.5)
    if not (0 < windows <= MOST and 0 < length_s <= LONGEST_S):
        raise ValueError(text)
    return windows, length_s


class Windows:
    """The windows of one process."""

    def __init__(self, windows, length_s, automatic=False, instead=False):
        self.wanted, self.length_ns = windows, int(length_s * 1e9)
        self.automatic = self.device_first = automatic
        self.instead, self.needed = instead, True
        self.done = self.failed = self.calls = 0
        self.why, self.over = "", False
        self.lock, self.changing, self.thread = allocate_lock(), 0, get_ident()
        self.profiler = None
        self.next_ns = 0
        self.cpu_ns = self.wall_ns = 0

    def called(self):
        """Called before each outermost call of a module, on any thread. Never raises."""
        if self.over or get_ident() != self.thread:
            return
        try:
            if self.device_first:
                if not device_in_use():
                    return
                self.device_first = False
                if self.instead and not self.agent_gave_up():
                    return
            self.calls += 1
            if self.calls > WARM_UP_CALLS and monotonic_ns() >= self.next_ns:
                if self.profiler is None:
                    self.open()
                    self.next_ns = monotonic_ns() + self.length_ns
                else:
                    before_ns = self.wall_ns
                    self.close()
                    self.next_ns = monotonic_ns() + self.pause_ns(self.wall_ns - before_ns)
                    self.over = self.done >= self.wanted
        except Exception as error:
            self.fail(error)

    def agent_gave_up(self):
        gave_up, reason = agent_state()
        self.over = self.over or not gave_up
        self.needed, self.why = gave_up or bool(reason), reason
        return gave_up

    def pause_ns(self, cost_ns):
        """The time until the next window may open, given the cost of opening, closing and writing the last one."""
        if not self.automatic:
            return PAUSE_NS
        return max(PAUSE_NS, int((cost_ns + SLOWED * self.length_ns) / LIMIT))

    def fail(self, error):
        self.failed += 1
        self.over, self.profiler = True, None
        self.why = "%s: %s" % (type(error).__name__, str(error)[:120])
        pass_on(error)

    def open(self):
        with self.lock:
            reason = foreign_profiler()
            if reason:
                self.over, self.why = True, reason
            if self.over:
                return
            self.changing = get_ident()
            try:
                self.timed("ops window start", self._start)
            finally:
                self.changing = 0

    def _start(self):
        """Uses the inner profiler, because the outer one imports 800 modules at its start."""
        from torch._C._profiler import _ExperimentalConfig
        from torch.autograd.profiler import profile

        try:
            config = _ExperimentalConfig(profile_all_threads=True)
        except TypeError:
            config, self.why = _ExperimentalConfig(), "this version sees the operators of one thread only"
        device = {"use_device": "cuda"} if device_in_use() else {}
        try:
            profiler = profile(use_kineto=True, experimental_config=config, **device)
        except TypeError:  # before torch 2.4
            profiler = profile(use_kineto=True, experimental_config=config, use_cuda=bool(device))
        profiler.__enter__()
        self.profiler = profiler

    def close(self):
        """Ends the open window, if there is one, and writes it. Any thread may call this."""
        with self.lock:
            profiler, self.profiler = self.profiler, None
            if profiler is None:
                return
            self.changing = get_ident()
            try:
                self.timed("ops window stop", lambda: profiler.__exit__(None, None, None))
                self.timed("ops window export", lambda: self._export(profiler))
                self.done += 1
            except Exception as error:
                self.fail(error)
            finally:
                self.changing = 0

    def _export(self, profiler):
        path = os.path.join(os.environ["INFERSCOPE_SPOOL_DIR"], "ops-%d-%d.json" % (os.getpid(), self.done + 1))
        profiler.export_chrome_trace(path + ".part")
        os.rename(path + ".part", path)

    def timed(self, name, action):
        """Runs a part of the profiler's work, and records its cost."""
        start_ns, cpu_ns = monotonic_ns(), thread_time_ns()
        try:
            action()
        finally:
            end_ns = monotonic_ns()
            self.cpu_ns += thread_time_ns() - cpu_ns
            self.wall_ns += end_ns - start_ns
            if _recorder.current is not None:
                _recorder.current.span(name, PROFILER, start_ns, end_ns)

    def yield_to_program(self):
        """Called when the program starts its own profiler: only one can run at a time."""
        if self.changing == get_ident():
            return
        if not self.over:
            self.over, self.why = True, "the program uses a profiler of its own"
        self.close()

    def finish(self, recorder):
        """Writes the open window at the end of the program."""
        self.over = True
        self.close()
        if self.device_first and not device_in_use():
            return recorder.coverage(SOURCE, NOT_NEEDED, "torch used no device in this process")
        if self.device_first and self.instead:
            self.agent_gave_up()  # No module was called since the device came into use.
        if not self.needed:
            return recorder.coverage(SOURCE, NOT_NEEDED, "the CUDA agent recorded what the device did")
        missing = "no module was called often enough by the thread that imported torch"
        recorder.coverage(SOURCE, OK if self.done else NOT_RECORDED, self.why or ("" if self.done else missing),
                          self.done, self.wanted - self.done)
        if self.wall_ns:
            recorder.overhead(self.cpu_ns, self.wall_ns, self.done, "torch.profiler windows")


def device_in_use():
    """Whether the program has initialised CUDA, or HIP, which torch calls by the same name."""
    cuda = sys.modules.get("torch.cuda")
    return cuda is not None and cuda.is_initialized()


def agent_state():
    """Whether the CUDA agent gave up in this process; and, if it did not record, why no window may replace it, or "".

    The agent closes its spool only when it ends or cannot begin. If it was not loaded, another tool was loaded instead,
    or it is not installed.
    """
    folder, newest = os.environ["INFERSCOPE_SPOOL_DIR"], (-1, 0)
    for name in os.listdir(folder):
        if name.endswith(".spool"):
            with open(os.path.join(folder, name), "rb") as file:
                head = file.read(FILE_HEADER_BYTES)
            if len(head) == FILE_HEADER_BYTES:
                _, _, _, _, pid, flags, opened_ns, _, _, source = FILE_HEADER.unpack(head)
                if source.rstrip(b"\0") == b"cuda-agent" and pid == os.getpid():
                    newest = max(newest, (opened_ns, flags))
    if newest[0] >= 0:
        return bool(newest[1] & FILE_HEADER_CLOSED), ""
    other = os.environ.get("CUDA_INJECTION64_PATH", "")
    if other and not other.endswith("/libinferscope-agent.so"):
        return False, "the tool that CUDA_INJECTION64_PATH names records this program; to record operators beside it, ask with --ops"
    return not other, ""


def foreign_profiler():
    """Why no window may be opened now, or ""."""
    module = sys.modules.get("torch.autograd.profiler")
    if getattr(module, "_is_profiler_enabled", False):
        return "the program uses a profiler of its own"
    return ""


windows = None


def after_import(torch):
    """Registers for each outermost call with the module hook."""
    global windows
    text = os.environ["INFERSCOPE_OPS"]
    automatic = text == AUTO
    hip, cuda = getattr(torch.version, "hip", None), getattr(torch.version, "cuda", None)
    if text == OFF or automatic and not (hip or cuda):
        return _recorder.current.coverage(SOURCE, NOT_NEEDED, "turned off" if text == OFF else "this torch uses no device")
    try:
        windows = Windows(*parse(AUTO_WINDOWS if automatic else text), automatic=automatic, instead=automatic and not hip)
    except ValueError:
        return _recorder.current.coverage(SOURCE, NOT_RECORDED, "INFERSCOPE_OPS is not of the form 3x0.5")
    torch_hooks.on_forward = windows.called


def wrap_prepare(original, hook, state):
    def _prepare_trace(self, *args, **kwargs):
        try:
            if windows is not None:
                windows.yield_to_program()
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return _prepare_trace


HOOKS = (
    Hook("torch.autograd.profiler", "profile._prepare_trace", wrap=wrap_prepare),
    Hook("torch.autograd.profiler", "emit_nvtx.__enter__", wrap=wrap_prepare, optional=True),
)
