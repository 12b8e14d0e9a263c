"""Starts and ends the recording of one interpreter process. Never raises, prints, or starts a thread."""

import atexit
import gc
import os
import sys
from _thread import RLock
from time import monotonic_ns, thread_time_ns, time_ns

from . import _mapped, _recorder, _spool
from ._recorder import Recorder, Twice
from ._signals import pass_on
from ._spool_format import (
    HAND_OVER_BYTES, INTERPRETER, NOT_NEEDED, NOT_RECORDED, OK, PROFILER, SPAN_BYTES, SPAN_HEADER, SPAN_START_NS_WORD,
)

TIMED_IMPORTS = ("torch", "transformers", "vllm", "sglang", "onnxruntime", "jax", "tensorflow", "numpy")
SHORT_LIFE_NS = 20_000_000  # a forked child that ends within this time without records leaves no file
FORKED_FILES = 10  # the files of all forked processes together may be this many times the largest size of a file
# Hook table: the modules whose import loads it.
TABLES = {
    "torch": ("torch",), "annotation": ("torch", "nvtx"), "compile": ("torch", "triton", "jax", "tensorflow"),
    "transformers": ("transformers",), "tokenizers": ("tokenizers",), "onnxruntime": ("onnxruntime",),
    "safetensors": ("safetensors",), "openvino": ("openvino", "openvino_genai"),
    "loading": ("peft", "joblib", "sentence_transformers", "ssl", "json", "pickle", "tomllib", "yaml", "pathlib", "numpy", "pandas"),
    "vllm": ("vllm",), "sglang": ("sglang",), "native": ("ctranslate2", "llama_cpp", "xllamacpp"),
    "media": ("PIL", "cv2", "torchvision", "torchaudio", "soundfile", "librosa", "decord"),
    "client": ("requests", "urllib3", "httpx", "aiohttp", "urllib.request"),
    "server": ("http.server", "uvicorn", "starlette", "flask", "aiohttp", "tornado", "grpc", "ray.serve"),
    "threading": ("threading", "queue", "concurrent.futures._base"),
    "multiprocessing": ("multiprocessing.connection", "multiprocessing.process", "subprocess"),
    "socket": ("socket", "selectors"), "zmq": ("zmq",),
}


class _Run:
    """Facts about the start of the process that its end needs."""

    def __init__(self):
        self.name, self.program = "", ""
        self.interpreter_word = 0
        self.boot_wall_ns = self.boot_cpu_ns = 0
        self.inherited = []
        self.budget = None
        self.tables = set()
        self.watcher = None
        self.kind = Recorder


_run = None


def start(boot_ns=None):
    """Starts recording if the environment requests it and no recording was started yet.

    ``boot_ns``: CLOCK_MONOTONIC nanoseconds at which the probe began to load.
    """
    global _run
    if _run is not None:
        return
    _run = _Run()
    if os.getuid() != os.geteuid() or os.getgid() != os.getegid():
        return  # setuid: the environment comes from another user
    directory = os.environ.get("INFERSCOPE_SPOOL_DIR")
    if not directory or os.environ.get("INFERSCOPE_ENABLED", "").lower() in ("0", "false", "off", "no") or not sys.platform.startswith("linux"):
        return
    try:
        cpu_start_ns = thread_time_ns()
        boot_ns = boot_ns or monotonic_ns()
        _run.name, _run.program = program_names()
        period = os.environ.get("INFERSCOPE_TWICE", "")
        if period.isdigit() and int(period) > 0:
            _run.kind, Twice.period_ns = Twice, int(period)
            from ._calibration import calibrate

            calibrate()
        recorder = _run.kind.__new__(_run.kind)
        _begin(recorder, "boot", boot_ns)
        _recorder.current = recorder
        _run.budget = _spool.Budget(FORKED_FILES * _max_bytes())
        _install()
        end_ns = monotonic_ns()
        _recorder.current.span("inferscope start", PROFILER, boot_ns, end_ns)
        _run.boot_wall_ns, _run.boot_cpu_ns = end_ns - boot_ns, thread_time_ns() - cpu_start_ns
    except Exception:
        _recorder.current = None


def prepare():
    """Imports what ``record_into`` would import in the time that it records."""
    from importlib import import_module

    from . import _hook, _imports  # noqa: F401

    for table, modules in TABLES.items():
        if any(module in sys.modules for module in modules):
            import_module("inferscope.hooks.%s_hooks" % table)


def record_into(folder):
    """Records this process into a spool folder from now on, until ``leave``, although the environment did not ask for it.
    Hooks that were installed before go on."""
    os.environ["INFERSCOPE_SPOOL_DIR"] = folder
    if _run is None or _run.budget is None:
        _restart()
        return
    hook = sys.modules.get("inferscope._hook")
    for state in hook.states if hook else ():
        state.forked()
    recorder = _run.kind.__new__(_run.kind)
    _begin(recorder, "boot", monotonic_ns())
    _recorder.current = recorder
    _run.boot_wall_ns = _run.boot_cpu_ns = 0
    _run.budget = _spool.Budget(FORKED_FILES * _max_bytes())
    gc.callbacks.append(_on_gc)


def _restart():
    global _run
    _run = None
    start()


def leave():
    """Ends what ``record_into`` began."""
    recorder = _recorder.current
    finish()
    if recorder is not None and type(recorder) is _run.kind:
        _mapped.release(recorder.spool.buffer)
    os.environ.pop("INFERSCOPE_SPOOL_DIR", None)


class _Forked(Recorder):
    """The recorder of a forked child. It opens its file, and becomes a plain recorder, when an attribute of Recorder is
    first accessed: a program that forks often has children that end at once, and a file for each of them costs ten
    times as much as the fork. A longer-lived child gets its file at its first garbage collection or at its end."""

    def __init__(self, opened_ns):
        self.opened_ns, self.opening, self.gc_start_ns = opened_ns, False, 0
        self.lock = RLock()
        self.parent_pid = os.getppid()

    def __getattr__(self, name):
        self.open()
        return getattr(self, name)

    def on_gc(self, phase, info):
        super().on_gc(phase, info)
        if phase == "stop" and type(self) is _Forked and self.has_lived():
            try:
                self.open()
            except ValueError:
                pass

    def has_lived(self):
        return monotonic_ns() - self.opened_ns > SHORT_LIFE_NS

    def open(self):
        with self.lock:
            if type(self) is _run.kind:  # unless another thread was first
                return
            if self.opening:
                raise ValueError("opening the file was interrupted, or it cannot be created")
            self.opening = True
            try:
                _begin(self, "fork", self.opened_ns)
            except Exception as error:
                if _recorder.current is self:
                    _recorder.current = None
                pass_on(error)
                raise ValueError("no file") from error
            self.__class__ = _run.kind


def _begin(recorder, seen, opened_ns):
    """Opens the recorder's file and writes its first records."""
    pid = os.getpid()
    max_bytes = _max_bytes()
    if seen == "fork" and not _run.budget.has(_spool.FIRST_BYTES):
        _run.budget.refuse()
        raise ValueError("the files of forked processes take too much together")
    spool = _spool.create(os.environ["INFERSCOPE_SPOOL_DIR"], pid, opened_ns, time_ns(), max_bytes, seen != "boot")
    if seen == "fork":
        spool.budget = _run.budget
        spool.budget.take(_spool.FIRST_BYTES)
    Recorder.__init__(recorder, spool, pid)
    if _run.kind is Twice:
        recorder.again = Recorder(_spool.Endless(), pid)
        recorder.note("probe.twice", _run.kind.period_ns)
    runtime = "CPython %d.%d.%d" % sys.version_info[:3] if sys.implementation.name == "cpython" else sys.implementation.name
    parent_pid = recorder.parent_pid if seen == "fork" else os.getppid()
    recorder.process(opened_ns, parent_pid, runtime, _run.program, seen)
    recorder.clock()
    recorder.coverage("probe", OK)
    _run.interpreter_word = recorder.begin(_run.name, INTERPRETER, None)
    recorder.words[_run.interpreter_word + SPAN_START_NS_WORD] = opened_ns


def _max_bytes():
    try:
        return int(os.environ.get("INFERSCOPE_SPOOL_MAX_BYTES") or _spool.DEFAULT_MAX_BYTES)
    except ValueError:
        return _spool.DEFAULT_MAX_BYTES


def _install():
    atexit.register(finish)
    os.register_at_fork(after_in_child=_after_fork)
    gc.callbacks.append(_on_gc)
    if os.environ.get("INFERSCOPE_HOOKS") == "0":
        _recorder.current.coverage("hooks", NOT_NEEDED, "INFERSCOPE_HOOKS=0")
        return
    from ._imports import Watcher

    triggers = {}
    tables = dict(TABLES)
    if os.environ.get("INFERSCOPE_OPS"):
        tables["ops"] = ("torch",)
    if os.environ.get("CUDA_INJECTION64_PATH", "").endswith("/libinferscope-agent.so"):
        tables["agent"] = ("torch", "jax")
    for table, modules in tables.items():
        for module in modules:
            triggers.setdefault(module, []).append(table)
    _run.watcher = Watcher({module: _table_loader(tables) for module, tables in triggers.items()}, TIMED_IMPORTS)
    _run.watcher.install()


def _table_loader(tables):
    """Loads hook tables when the first of their modules is about to be imported."""
    def load():
        for table in tables:
            if table not in _run.tables:
                _run.tables.add(table)
                try:
                    from . import _hook

                    _hook.load_table(table, _run.watcher, TABLES.get(table, ("torch",))[0])
                except Exception as error:
                    _recorder.current.coverage("hooks:" + table, NOT_RECORDED, type(error).__name__)
                    pass_on(error)

    return load


def watch_tasks():
    """Called when the program first uses ``scope``: from then on the steps of asyncio's tasks are observed."""
    if _run is not None and _run.watcher is not None and "tasks" not in _run.tables:
        _run.tables.add("tasks")

        def hook(module):
            from . import _hook, _tasks

            _hook.install(module, _tasks.HANDLE)

        try:
            _run.watcher.add("asyncio.events", hook)
        except Exception as error:
            pass_on(error)


def _on_gc(phase, info):
    try:
        recorder = _recorder.current
        if recorder is not None:
            recorder.on_gc(phase, info)
    except KeyboardInterrupt:  # the collector would swallow it
        from _thread import interrupt_main

        interrupt_main()


def _after_fork():
    """In a forked child: abandons the parent's file and prepares a separate one."""
    parent = _recorder.current
    if parent is None:
        return
    _recorder.current = None
    try:
        if type(parent) is _run.kind:
            # Kept for ever: closing the inherited mapping would close a descriptor number that the program may have
            # reused.
            _run.inherited.append(parent.spool.buffer)
            parent.spool.abandon()
        _run.boot_wall_ns = _run.boot_cpu_ns = 0
        hook = sys.modules.get("inferscope._hook")
        for state in hook.states if hook else ():
            state.forked()
        ops = sys.modules.get("inferscope.hooks.ops_hooks")
        if ops is not None and ops.windows is not None:
            ops.windows.over, ops.windows = True, None
        _recorder.current = _Forked(monotonic_ns())
        _finish_before_multiprocessing_exits()
    except Exception:
        _recorder.current = None


def _finish_before_multiprocessing_exits():
    """multiprocessing ends its forked children by os._exit: its own finalisers run, but those of atexit do not."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.register_after_fork(_run, lambda _: util.Finalize(None, finish, exitpriority=-1000))


def finish():
    """Closes the spool: ends the interpreter's span, adds the recorder's own cost, seals the blocks."""
    finish_windows()
    recorder, _recorder.current = _recorder.current, None
    if recorder is None:
        return
    try:
        if _on_gc in gc.callbacks:
            gc.callbacks.remove(_on_gc)
        start_ns, cpu_start_ns = monotonic_ns(), thread_time_ns()
        if type(recorder) is _Forked:
            if not recorder.has_lived():
                return
            recorder.open()
        recorder.end(_run.interpreter_word, start_ns)
        _note_versions(recorder)
        hook = sys.modules.get("inferscope._hook")
        for state in hook.states if hook else ():
            state.settle(recorder)
        refused = 0 if recorder.spool.budget else _run.budget.refused()
        if refused:
            recorder.coverage("forked processes", NOT_RECORDED,
                              "their files may take %d MB together, and %d processes found no room" % (_run.budget.limit_bytes >> 20, refused), 0, refused)
        hand_overs = recorder.spool.slots_taken(HAND_OVER_BYTES)
        if hand_overs or recorder.hand_overs_missing:
            full = recorder.spool.hand_over_bytes + _spool.HAND_OVER_BLOCK_BYTES > recorder.spool.max_bytes // _spool.HAND_OVER_SHARE
            cause = "the file could not grow" if recorder.spool.stopped else "another thread was enlarging the file"
            recorder.coverage("hand-overs", OK, ("more than fit into their share of the file" if full else cause) if recorder.hand_overs_missing else "", hand_overs, recorder.hand_overs_missing)
        events = recorder.spool.slots_taken(SPAN_BYTES) + hand_overs
        spans_ns = events * _recorder.span_cost_ns(sys._getframe()) + unrecorded_call_ns()
        if _run.kind is Twice:
            spans_ns += int(spans_ns * Twice.times[SPAN_HEADER]) // 2  # In every second period.
        recorder.clock()
        recorder.overhead(_run.boot_cpu_ns + spans_ns + thread_time_ns() - cpu_start_ns,
                          _run.boot_wall_ns + spans_ns + monotonic_ns() - start_ns, events)
        recorder.spool.close()
    except Exception:
        pass


def _note_versions(recorder):
    """Records the versions of the libraries for models."""
    found = ((name, getattr(sys.modules.get(name), "__version__", None)) for name in TIMED_IMPORTS)
    versions = ", ".join("%s %s" % (name, version) for name, version in found if isinstance(version, str))
    if versions:
        recorder.note("versions", versions)


def finish_windows():
    """Writes the open profiler window while the interpreter still works."""
    ops = sys.modules.get("inferscope.hooks.ops_hooks")
    if ops is not None and ops.windows is not None and _recorder.current is not None:
        windows, ops.windows = ops.windows, None
        try:
            windows.finish(_recorder.current)
        except Exception:
            pass


def unrecorded_call_ns():
    """Time spent in hooks for calls that were not recorded, estimated by these hooks."""
    hooks = sys.modules.get("inferscope.hooks.torch_hooks")
    return hooks.nested_call_ns() if hooks else 0


def program_names():
    """(span name, program name): the script's base name, ``-m module`` or ``-c``; never an argument."""
    first = sys.argv[0] if getattr(sys, "argv", None) else ""
    if first == "-m":
        module = module_argument(command_line()) or "?"
        return "-m " + module, module
    executable = os.path.basename(sys.executable or "python")
    if first in ("", "-", "-c"):
        return first if first == "-c" else "<stdin>", executable
    name = os.path.basename(first.rstrip("/"))
    return name, name


def command_line():
    if hasattr(sys, "orig_argv"):
        return sys.orig_argv
    with open("/proc/self/cmdline", "rb") as file:
        return file.read().decode("utf-8", "replace").split("\0")


def module_argument(words):
    """The argument of ``-m`` among the interpreter's own options."""
    words = iter(words[1:])
    for word in words:
        if not word.startswith("-"):
            return ""
        if word.startswith("--"):
            if word == "--check-hash-based-pycs":
                next(words, "")
            continue
        for position, letter in enumerate(word[1:], 2):
            if letter == "m":
                return word[position:] or next(words, "")
            if letter in "WX":
                if not word[position:]:
                    next(words, "")
                break
    return ""
