"""Records the tensor shapes of a process: when to begin and to stop, for which rank, into which file.

Started by the environment (``SGLANG_PROFILE_SHAPES=1`` or ``INFERSCOPE_SHAPES=1``) in every interpreter that has InferScope's start-up file on
its path. Nothing is recorded, opened or imported before torch is, and nothing is written before the first forward pass.
"""

import atexit
import os
import sys
from _thread import RLock, _local
from itertools import count

from ._shape_settings import Settings

DIFFUSION = ("diffusers.pipelines.pipeline_utils", "sglang.multimodal_gen.runtime.managers.gpu_worker")
TABLES = {
    "shapes": ("torch",), "shapes_engine": ("sglang", "vllm", "transformers"),
}

PREFILL, DECODE, FIRST = "PREFILL", "DECODE", "FIRST"

recording = None


class _Thread(_local):
    """place: the thread's mode; inside: whether a forward pass is open; generating: whether it is in ``generate``, and stage: PREFILL while
    that reads the prompt, FIRST before its first pass in versions that do not tell the two apart."""

    place, inside, stage, generating = None, False, None, False


class Recording:
    """Of one process. Methods that hooks call never raise."""

    def __init__(self, settings):
        self.settings = settings
        self.thread, self.lock = _Thread(), RLock()
        self.reset()

    def reset(self):
        """As at the start; in a forked child as well."""
        self.next_pass = count(1).__next__
        self.book = self.files = self.writer = self.mode_class = None
        self.over = self.finishing = False
        self.engine = False
        self.engine_rank = self.rank_known = None
        self.modes = []
        self.next_graph = count(1).__next__

    def rank(self, owner_rank=None):
        """The worker's own rank: what its engine says, then torch.distributed, then the launcher's variables, then 0."""
        known = owner_rank if isinstance(owner_rank, int) else self.engine_rank
        if known is not None:
            return known
        distributed = sys.modules.get("torch.distributed")
        try:
            if distributed is not None and distributed.is_available() and distributed.is_initialized():
                return int(distributed.get_rank())
        except Exception:
            pass
        for name in ("RANK", "LOCAL_RANK"):
            if os.environ.get(name, "").isdigit():
                return int(os.environ[name])
        return 0

    def begin(self, rank=None, marker=None, mode=None):
        """A forward pass begins on this thread. Returns what ``end`` needs. ``marker``: PREFILL, DECODE or None, by the engine's own word
        ``mode``."""
        thread = self.thread
        thread.inside = True
        number = self.next_pass()
        settings = self.settings
        if self.over and thread.place is not None and (thread.place.leave() or not thread.place.entered):
            thread.place = None  # A mode that has nothing to record any more.
        if number <= settings.skip or self.over:
            return None
        if settings.passes and number > settings.skip + settings.passes:
            self.stop()
            return None
        if self.book is None and not self.open(rank):
            return None
        number = min(number, _log().MAX_PASS)
        place = self.place()
        place.mode.book = self.book
        place.mode.enter_pass(number)
        if marker:
            _mode().store_mark(self.book, marker + "_START", number, **({"mode": mode} if mode else {}))
        return place if place.enter() and not place.stays else None

    def end(self, place):
        """The forward pass is over."""
        self.thread.inside = False
        if place is not None:
            place.leave()

    def place(self):
        """The calling thread's mode, made when there is none."""
        place = self.thread.place
        if place is None:
            from ._shape_place import Place

            place = self.thread.place = Place(self.modes_class()())
        if place.mode not in self.modes:
            self.modes.append(place.mode)
        return place

    def modes_class(self):
        """The class of modes, made when there is none."""
        if self.mode_class is None:
            self.mode_class = _mode().mode_class(sys.modules["torch"], self.settings.fields)
        return self.mode_class

    def open(self, rank):
        """Opens the log if this process is of the rank asked for. Returns whether there is one."""
        with self.lock:
            if self.book is not None or self.over:
                return self.book is not None
            own = self.rank(rank)
            if self.settings.rank is not None and own != self.settings.rank:
                self.over = True
                return False
            dedupe = self.settings.dedupe
            if dedupe is None:
                dedupe = any(module in sys.modules for module in DIFFUSION)
            from . import _shape_output

            try:
                log, self.files = _shape_output.claim(self.settings.file_of(own), own, dedupe)
            except OSError as error:
                self.over = True
                print("inferscope: shapes are not recorded: %s" % error, file=sys.stderr)
                return False
            self.book = _mode().Book(log)
            self.writer = _shape_output.Writer(self.files, _shape_output.Cost(self.book, self.modes_class()))
            _finish_before_multiprocessing_exits()
            return True

    def stop(self):
        """Nothing is recorded from here on, and the files are made. Later calls do nothing."""
        with self.lock:
            if self.finishing:
                return
            self.finishing = self.over = True
            book, self.book = self.book, None
            for mode in self.modes:
                mode.book = None
            if self.thread.place is not None:
                self.thread.place.leave()
            if book is not None:
                self.writer.finish({"lost": book.log.lost(), "problems": dict(sorted(book.problems.items()))})

    def pause(self):
        """Compiled code is about to run, which would run operator by operator under a mode. Returns the function that ends the pause. Neither
        raises."""
        place = self.thread.place
        try:
            if place is None or place.mode.book is None or not place.leave():
                return _nothing
            _mode().store_mark(place.mode.book, "COMPILED_CALL", place.forward_pass())
        except Exception:
            pass
        return place.enter

    def begin_capture(self, graph):
        """A CUDA graph is being captured on this thread: what runs now will run at each replay, unseen. Returns what ``end_capture`` needs."""
        if self.over or self.book is None and not self.open(None):
            return None
        place = self.place()
        before, place.mode.book = place.mode.book, self.book
        _mode().store_mark(self.book, "GRAPH_CAPTURE_START", place.forward_pass(), _log().CAPTURE_BEGIN, graph=graph)
        return place, before, place.enter()

    def end_capture(self, graph, begun):
        """The capture is over."""
        if begun is not None:
            place, place.mode.book, entered = begun
            if self.book is not None:
                _mode().store_mark(self.book, "GRAPH_CAPTURE_END", place.forward_pass(), _log().CAPTURE_END, graph=graph)
            if entered:
                place.leave()

    def replayed(self, graph):
        """A graph is about to be replayed on this thread."""
        place = self.thread.place
        if place is not None and place.mode.book is not None:
            _mode().store_mark(place.mode.book, "GRAPH_REPLAY", place.forward_pass(), _log().REPLAY, graph=graph)


def _nothing():
    pass


def _log():
    from . import _shape_log

    return _shape_log


def _mode():
    from . import _shape_mode

    return _shape_mode


def start():
    """Starts if the environment asks for it; called once, at the start of the interpreter. Never raises."""
    global recording
    if recording is not None or not sys.platform.startswith("linux"):
        return
    try:
        settings = Settings.of(os.environ)
        if settings is None:
            return
        recording = Recording(settings)
        atexit.register(finish)
        os.register_at_fork(after_in_child=_after_fork)
        _watch_imports()
    except Exception:
        recording = None


def _watch_imports():
    from ._imports import Watcher

    watcher = Watcher({}, ())
    loaded = set()

    def loader(table):
        def load():
            if table not in loaded:
                loaded.add(table)
                _load_table(table, watcher)

        return load

    for table, modules in TABLES.items():
        for module in modules:
            watcher.watched.add(module)
            watcher.libraries[module] = loader(table)
    watcher.install()


def _load_table(table, watcher):
    from importlib import import_module

    from . import _hook

    hooks = import_module("inferscope.hooks.%s_hooks" % table)
    for module_name in dict.fromkeys(hook.module for hook in hooks.HOOKS):
        rows = [hook for hook in hooks.HOOKS if hook.module == module_name]
        watcher.add(module_name, lambda module, rows=rows: [_hook.install(module, row) for row in rows])
    for module_name, action in getattr(hooks, "AFTER_IMPORT", {}).items():
        watcher.add(module_name, action)


def _after_fork():
    """In a forked child: the log is the parent's. The child records into one of its own, from its own first forward pass on."""
    if recording is not None:
        for mode in recording.modes:
            mode.book = None
        recording.lock = RLock()
        recording.reset()
        recording.thread.inside = False


def _finish_before_multiprocessing_exits():
    """multiprocessing ends its forked children by os._exit, after its own finalisers but without atexit's."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, finish, exitpriority=-1000)


def handle_signals():
    """Has the signals that end a process finish the files first, where the program leaves them to the system. They then do what they do."""
    from signal import SIG_DFL, SIGQUIT, SIGTERM, getsignal, signal

    def finish_first(number, frame):
        finish()
        signal(number, SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (SIGTERM, SIGQUIT):
        if getsignal(number) == SIG_DFL:
            signal(number, finish_first)


def finish():
    """Makes the files, if there is anything to make them of. What fails leaves the log, which can be recovered."""
    try:
        if recording is not None:
            recording.stop()
    except Exception as error:
        print("inferscope: %s.log holds shapes that could not be written: %s" % (recording.files.path, error), file=sys.stderr)
