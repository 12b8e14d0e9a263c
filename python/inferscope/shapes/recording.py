"""The recording of one process's tensor shapes: its forward passes, the modes of its threads, and its file."""

import os
import sys
from _thread import RLock, get_ident
from itertools import count

from .._signals import pass_on
from .cost import Cost
from .current import thread
from .log import MAX_PASS
from .mode import Book, mode_class, store_mark
from .output import Writer, claim
from .place import Place
from .unseen import problems

DIFFUSION = ("diffusers.pipelines.pipeline_utils", "sglang.multimodal_gen.runtime.managers.gpu_worker")


class Recording:
    """``over``: no further forward pass is recorded; ``book``: where modes write, None while there is no log."""

    def __init__(self, settings):
        self.settings = settings
        self.last_pass = settings.skip + settings.passes if settings.passes else sys.maxsize
        self.lock = RLock()
        self.reset()

    def reset(self):
        """Sets the initial state."""
        self.next_pass = count(1).__next__
        self.open_passes = set()
        self.book = self.files = self.writer = self.mode_class = None
        self.over = self.finishing = False
        self.engine = False
        self.engine_rank = None
        self.modes = []
        self.next_graph = count(1).__next__

    def forked(self):
        """In a forked child: the log belongs to the parent. The child opens its own at its first forward pass."""
        for mode in self.modes:
            mode.write_to(None)
        self.lock = RLock()
        self.reset()
        thread.inside = False

    def rank(self, owner_rank=None):
        """The worker's rank by its engine, else by torch.distributed, else by the launcher's variables, else 0."""
        known = owner_rank if isinstance(owner_rank, int) else self.engine_rank
        if known is not None:
            return known
        distributed = sys.modules.get("torch.distributed")
        try:
            if distributed is not None and distributed.is_available() and distributed.is_initialized():
                return int(distributed.get_rank())
        except Exception as error:
            pass_on(error)
        for name in ("RANK", "LOCAL_RANK"):
            if os.environ.get(name, "").isdigit():
                return int(os.environ[name])
        return 0

    def begin(self, rank=None, marker=None, mode=None):
        """Begins a forward pass on this thread. Returns the argument for ``end``, None if the pass is not recorded.
        ``marker``: PREFILL, DECODE or None; ``mode``: the engine's own term for it."""
        thread.inside = True
        number = self._number()
        if not number:
            return None
        place = None
        try:
            if self.book is not None or self.open(rank):
                place = self._enter(number, marker, mode)
        finally:
            if place is None:
                self._close_pass()
        return place

    def _number(self):
        """Opens a pass and returns its number, 0 if it is not recorded. After the last requested pass the files are
        completed, once no other thread is inside one of these passes."""
        with self.lock:
            number = self.next_pass()
            self.over = self.over or number > self.last_pass
            if not self.over and number > self.settings.skip:
                self.open_passes.add(get_ident())
                return number
            if self.over and not self.open_passes:
                self.finish()
        if self.over:
            self._retire()
        return 0

    def _retire(self):
        """Stops recording on the calling thread."""
        place = thread.place
        if place is not None:
            place.mode.write_to(None)
            if place.leave() or not place.entered:
                thread.place = None

    def _enter(self, number, marker, mode):
        number = min(number, MAX_PASS)
        place = self.place()
        place.mode.write_to(self.book)
        place.mode.enter_pass(number)
        if marker:
            store_mark(self.book, marker + "_START", number, **({"mode": mode} if mode else {}))
        place.for_pass = place.enter() and not place.stays
        return place

    def end(self, place):
        """Ends a forward pass."""
        thread.inside = False
        if place is not None:
            if place.for_pass:
                place.leave()
            self._close_pass()

    def _close_pass(self):
        """Completes the files if this was the last open pass of those requested."""
        with self.lock:
            self.open_passes.discard(get_ident())
            if self.over and not self.open_passes:
                self.finish()

    def place(self):
        """The calling thread's mode, made at first use."""
        place = thread.place
        if place is None:
            place = thread.place = Place(self.modes_class()())
        if place.mode not in self.modes:
            self.modes.append(place.mode)
        return place

    def modes_class(self):
        """The class of modes, made at first use."""
        if self.mode_class is None:
            self.mode_class = mode_class(sys.modules["torch"], self.settings.fields)
        return self.mode_class

    def open(self, rank):
        """Opens the log if this process has the requested rank. Returns whether there is one."""
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
            try:
                log, self.files = claim(self.settings.file_of(own), own, dedupe)
            except OSError as error:
                pass_on(error)
                self.over = True
                print("inferscope: shapes are not recorded: %s" % error, file=sys.stderr)
                return False
            self.book = Book(log, self.modes_class().describe)
            self.writer = Writer(self.files, Cost(self.book, self.modes_class()))
            self._finish_before_multiprocessing_exits()
            return True

    def _finish_before_multiprocessing_exits(self):
        """multiprocessing ends forked children by os._exit: its own finalisers run, those of atexit do not."""
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            util.Finalize(None, self.finish, exitpriority=-1000)

    def stop(self):
        """Stops recording and completes the files. Later calls do nothing."""
        with self.lock:
            if self.finishing:
                return
            self.finishing = self.over = True
            book, self.book = self.book, None
            for mode in self.modes:
                mode.write_to(None)
            if thread.place is not None:
                thread.place.leave()
            if book is not None:
                self.writer.finish({"lost": book.log.lost(), "problems": problems(book)})
            elif self.settings.skip:
                self._say_what_was_left_out()

    def _say_what_was_left_out(self):
        begun = self.next_pass() - 1
        if 0 < begun <= self.settings.skip and self.settings.rank in (None, self.rank()):
            print("inferscope: no shapes are recorded: %d forward passes, and the first %d are left out" % (begun, self.settings.skip),
                  file=sys.stderr)

    def handle_signals(self):
        """Completes the files before SIGTERM or SIGQUIT ends the process, unless the program handles the signal
        itself."""
        from signal import SIG_DFL, SIGQUIT, SIGTERM, getsignal, signal

        def finish_first(number, frame):
            self.finish()
            signal(number, SIG_DFL)
            os.kill(os.getpid(), number)

        for number in (SIGTERM, SIGQUIT):
            if getsignal(number) == SIG_DFL:
                signal(number, finish_first)

    def finish(self):
        """Like ``stop``, but never raises: after a failure the log remains and can be recovered."""
        try:
            self.stop()
        except Exception as error:
            if self.files is not None:
                print("inferscope: %s.log holds shapes that could not be written: %s" % (self.files.path, error), file=sys.stderr)
