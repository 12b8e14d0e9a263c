"""The recording of one process's tensor shapes: which forward passes belong to it, by which mode they are seen, and into which file they go."""

import os
import sys
from _thread import RLock, get_ident
from itertools import count

from .cost import Cost
from .current import thread
from .log import MAX_PASS
from .mode import Book, mode_class, store_mark
from .output import Writer, claim
from .place import Place
from .unseen import problems

DIFFUSION = ("diffusers.pipelines.pipeline_utils", "sglang.multimodal_gen.runtime.managers.gpu_worker")


class Recording:
    """Of one process. ``over``: no forward pass is begun any more; ``book``: where modes write, None while there is no log."""

    def __init__(self, settings):
        self.settings = settings
        self.last_pass = settings.skip + settings.passes if settings.passes else sys.maxsize
        self.lock = RLock()
        self.reset()

    def reset(self):
        """As at the start; in a forked child as well."""
        self.next_pass = count(1).__next__
        self.open_passes = set()
        self.book = self.files = self.writer = self.mode_class = None
        self.over = self.finishing = False
        self.engine = False
        self.engine_rank = None
        self.modes = []
        self.next_graph = count(1).__next__

    def forked(self):
        """In a forked child: the log is the parent's. The child records into one of its own, from its own first forward pass on."""
        for mode in self.modes:
            mode.write_to(None)
        self.lock = RLock()
        self.reset()
        thread.inside = False

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
        """A forward pass begins on this thread. Returns what ``end`` needs, None for a pass that is not recorded. ``marker``: PREFILL, DECODE or
        None, by the engine's own word ``mode``."""
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
        """The number of a pass that begins, which is open from now on; 0 for one that is not recorded. When the passes asked for are over, the
        files are made; where another thread is still inside one of them, when that ends."""
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
        """The calling thread has nothing to record any more."""
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
        """The forward pass is over."""
        thread.inside = False
        if place is not None:
            if place.for_pass:
                place.leave()
            self._close_pass()

    def _close_pass(self):
        """Makes the files if the pass was the last one open of those asked for, and another has begun."""
        with self.lock:
            self.open_passes.discard(get_ident())
            if self.over and not self.open_passes:
                self.finish()

    def place(self):
        """The calling thread's mode, made when there is none."""
        place = thread.place
        if place is None:
            place = thread.place = Place(self.modes_class()())
        if place.mode not in self.modes:
            self.modes.append(place.mode)
        return place

    def modes_class(self):
        """The class of modes, made when there is none."""
        if self.mode_class is None:
            self.mode_class = mode_class(sys.modules["torch"], self.settings.fields)
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
            try:
                log, self.files = claim(self.settings.file_of(own), own, dedupe)
            except OSError as error:
                self.over = True
                print("inferscope: shapes are not recorded: %s" % error, file=sys.stderr)
                return False
            self.book = Book(log, self.modes_class().describe)
            self.writer = Writer(self.files, Cost(self.book, self.modes_class()))
            self._finish_before_multiprocessing_exits()
            return True

    def _finish_before_multiprocessing_exits(self):
        """multiprocessing ends its forked children by os._exit, after its own finalisers but without atexit's."""
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            util.Finalize(None, self.finish, exitpriority=-1000)

    def stop(self):
        """Nothing is recorded from here on, and the files are made. Later calls do nothing."""
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
        """Has the signals that end a process finish the files first, where the program leaves them to the system. They then do what they do."""
        from signal import SIG_DFL, SIGQUIT, SIGTERM, getsignal, signal

        def finish_first(number, frame):
            self.finish()
            signal(number, SIG_DFL)
            os.kill(os.getpid(), number)

        for number in (SIGTERM, SIGQUIT):
            if getsignal(number) == SIG_DFL:
                signal(number, finish_first)

    def finish(self):
        """As ``stop``, and never raises: what fails leaves the log, which can be recovered."""
        try:
            self.stop()
        except Exception as error:
            if self.files is not None:
                print("inferscope: %s.log holds shapes that could not be written: %s" % (self.files.path, error), file=sys.stderr)
