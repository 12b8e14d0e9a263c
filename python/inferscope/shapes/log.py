"""The log of tensor shapes: what a process writes while it runs, so fast that running goes on, and so that no kill loses any of it.

A log is a folder, ``<file>.log``:

``meta.json``
    What the reader must know: version, process, rank, whether repeated calls are left out.
``signatures-0000``, ``signatures-0001``, ...
    One line of UTF-8 per distinct thing that happened: ``id TAB parent TAB operation TAB text``. The text is a piece of the JSON line to come,
    which begins with the text of the parent, where there is one (0: none). A line is written before its id is used. Zero bytes between lines
    are unused room.
``calls-0000``, ``calls-0001``, ...
    Little-endian 64-bit words in the order of the calls: bits 0 to 31 are the id of a signature, 32 to 55 the number of the forward pass, 56 to 63
    the kind. A word of kind RUNNING is stored before an operator runs and replaced when it is over, so that the operator in which a process
    died is the one whose word still says RUNNING. Zero is a word that was taken and not stored, or not even taken.

All of it lies in shared mappings: storing is a store to memory, and the kernel keeps it whatever becomes of the process.
"""

import json
import mmap  # noqa: F401  For _mapped, which would import it in the middle of the program's work.
import os
from _thread import RLock
from itertools import count

from .. import _mapped

VERSION = 1
DONE, RUNNING, FAILED, MARK, CAPTURE_BEGIN, CAPTURE_END, REPLAY = 1, 2, 3, 4, 5, 6, 7
PASS_SHIFT, KIND_SHIFT = 32, 56
MAX_PASS = (1 << 24) - 1

FILE_BYTES = 64 << 20
STEP_BYTES = 1 << 20
STEP_WORDS = STEP_BYTES >> 3


class Room:
    """Room on disk, in files of one name with a number behind it, handed out step by step."""

    def __init__(self, path):
        self.path, self.buffers = path, []
        self.backed_bytes = FILE_BYTES

    def step(self):
        """The next STEP_BYTES as a memoryview of zeros, or None where the disk has no more room."""
        start = self.backed_bytes
        if start == FILE_BYTES:
            try:
                # Kept for ever: to close a mapping closes a descriptor whose number the program may have reused.
                buffer, self.inode = _mapped.create(self._file(len(self.buffers)), (FILE_BYTES,), STEP_BYTES)
            except (OSError, ValueError):
                return None
            self.buffers.append(buffer)
            start = 0
        elif not _mapped.back(self._file(len(self.buffers) - 1), self.inode, start, STEP_BYTES):
            return None
        self.backed_bytes = start + STEP_BYTES
        return memoryview(self.buffers[-1])[start:self.backed_bytes]

    def _file(self, number):
        return "%s-%04d" % (self.path, number)


class ShapeLog:
    """Writes one log. Methods may be called from any thread; no lock is held while an operator is recorded.

    ``chunk`` is a pair: words, and a function that takes the next index into them or raises StopIteration.
    """

    def __init__(self, folder, meta):
        """Makes the folder, which must not exist (FileExistsError): to have made it is to own the file that it is named after."""
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
        """Stores a signature and returns its id. Raises OSError where there is no room for it."""
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
        """Stores a word that is no operator's."""
        words, index = self.slot()
        words[index] = ident | forward_pass << PASS_SHIFT | kind << KIND_SHIFT

    def slot(self):
        """Words, and the next index into them. Where the disk has no more room the words lie in memory and are lost; how many is counted."""
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
        self.slots = iter(range(STEP_WORDS))
        self.chunk = memoryview(bytearray(STEP_BYTES) if step is None else step).cast("Q"), self.slots.__next__

    def taken(self):
        """How many words were taken: one for each operator and each mark."""
        return self.steps * STEP_WORDS - self.slots.__length_hint__()

    def lost(self):
        """How many calls found no room."""
        return self.lost_steps * STEP_WORDS - (self.slots.__length_hint__() if self.lossy else 0)
