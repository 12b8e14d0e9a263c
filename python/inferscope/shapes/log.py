"""The log of tensor shapes, which a process writes while it runs. It costs little per operator and is complete after a
kill.

A log is a folder, ``<file>.log``:

``meta.json``
    Version, process, rank, and whether repeated calls are left out.
``signatures-0000``, ``signatures-0001``, ...
    One line of UTF-8 per distinct signature: ``id TAB parent TAB operation TAB text``. The text is a part of a JSON
    line; it follows the text of the parent (0: none). A line is written before its id is used. Zero bytes between lines
    are unused space.
``calls-0000``, ``calls-0001``, ...
    Little-endian 64-bit words in the order of the calls: bits 0 to 31 are the id of a signature, 32 to 55 the number of
    the forward pass, 56 to 63 the kind. A word of kind RUNNING is stored before an operator runs and replaced when it
    has ended: after a crash it marks the operator in which the process died. Zero is a word that was not stored.

All files are shared mappings: stored data survives the process.
"""

import json
import mmap  # noqa: F401  For _mapped, which would import it in the middle of the program's work.
import os
from _thread import RLock
from itertools import count

from .. import _mapped
from .._signals import pass_on

VERSION = 1
DONE, RUNNING, FAILED, MARK, CAPTURE_BEGIN, CAPTURE_END, REPLAY = 1, 2, 3, 4, 5, 6, 7
PASS_SHIFT, KIND_SHIFT = 32, 56
MAX_PASS = (1 << 24) - 1

FILE_BYTES = 64 << 20
STEP_BYTES = 1 << 20
STEP_WORDS = STEP_BYTES >> 3


class Room:
    """Space on disk, in numbered files, handed out in steps of equal size."""

    def __init__(self, path):
        self.path, self.buffers = path, []
        self.backed_bytes = FILE_BYTES
        self.full = False

    def step(self):
        """The next STEP_BYTES as a memoryview of zeros, or None when the disk is full. The first refusal is final: a
        retry on a full disk costs as much as many records."""
        if self.full:
            return None
        self.full = True
        start = self.backed_bytes
        if start == FILE_BYTES:
            try:
                # Kept for ever: closing a mapping would close a descriptor whose number the program may have reused.
                buffer, self.inode = _mapped.create(self._file(len(self.buffers)), (FILE_BYTES,), STEP_BYTES)
            except (OSError, ValueError) as error:
                pass_on(error)
                return None
            self.buffers.append(buffer)
            start = 0
        elif _mapped.back(self._file(len(self.buffers) - 1), self.inode, start, STEP_BYTES):
            return None
        self.full = False
        self.backed_bytes = start + STEP_BYTES
        return memoryview(self.buffers[-1])[start:self.backed_bytes]

    def _file(self, number):
        return "%s-%04d" % (self.path, number)


class ShapeLog:
    """Writes one log. Methods may be called from any thread; no lock is held while an operator is recorded.

    ``chunk`` is a pair: words, and a function that takes the next index into them or raises StopIteration.
    """

    def __init__(self, folder, meta):
        """Makes the folder; raises FileExistsError if it exists. The process that made the folder owns the file after
        which it is named."""
        self.meta = dict(meta, version=VERSION)
        os.mkdir(folder)
        with open(os.path.join(folder, "meta.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(self.meta))
        self.lock = RLock()
        self.next_id = count(1).__next__
        self.calls, self.texts = Room(os.path.join(folder, "calls")), Room(os.path.join(folder, "signatures"))
        self.text, self.text_bytes = self.texts.step(), 0
        self.steps = self.lost_steps = 0
        self.lossy = False
        self._open_step()

    def signature(self, operation, text, parent=0):
        """Stores a signature and returns its id. Raises OSError when there is no space for it."""
        ident = self.next_id()
        line = ("%d\t%d\t%s\t%s\n" % (ident, parent, operation, text)).encode("utf-8", "replace")
        with self.lock:
            end = self.text_bytes + len(line)
            if end > STEP_BYTES or self.text is None:
                if len(line) > STEP_BYTES:
                    raise OSError("a signature of %d bytes" % len(line))
                step = self.texts.step()
                if step is None:
                    raise OSError("no room")
                self.text, end = step, len(line)
            self.text[end - len(line):end] = line
            self.text_bytes = end
        return ident

    def mark(self, kind, ident, forward_pass):
        """Stores a word that does not stand for an operator."""
        words, index = self.slot()
        words[index] = ident | forward_pass << PASS_SHIFT | kind << KIND_SHIFT

    def slot(self):
        """Words, and the next index into them. On a full disk the words are in memory only; they are counted as
        lost."""
        words, take = self.chunk
        while True:
            try:
                return words, take()
            except StopIteration:
                with self.lock:
                    if self.chunk[1] is take:
                        self._open_step()
                    words, take = self.chunk

    def _open_step(self):
        step = self.calls.step()
        self.lossy = step is None
        self.steps += 1
        self.lost_steps += self.lossy
        self.slots = _mapped.slots(range(STEP_WORDS))
        self.chunk = memoryview(bytearray(STEP_BYTES) if step is None else step).cast("Q"), self.slots.__next__

    def taken(self):
        """The number of words taken: one per operator and mark."""
        return self.steps * STEP_WORDS - self.slots.__length_hint__()

    def lost(self):
        """The number of calls that found no space."""
        return self.lost_steps * STEP_WORDS - (self.slots.__length_hint__() if self.lossy else 0)
