"""The spool writer: one append-only file per process, in the layout of docs/spool-format.md.

The whole file is one shared memory mapping, reserved up to the size cap and backed by disk block by block
(``_mapped``).

Blocks of three kinds alternate. A *span block* contains only slots of equal size for SPAN and REQUEST records, a
*hand-over block* slots for HAND_OVER. A slot is taken with one call of a C iterator, which is atomic, so threads,
signal handlers and finalisers never wait for one another. An *other block* contains strings and rare records. These
pass through a queue that the holder of the lock empties, so no thread waits there either.

A record is stored under the type UNFINISHED first and gets its own type last. A writer killed in between leaves a
record that readers skip by its length; leaving the header zero would make them read the half-stored body as records.
"""

import os
import sys
from _collections import deque
from _thread import RLock
from errno import EDQUOT, EFBIG, ENOSPC
from itertools import count

from . import _mapped
from ._mapped import back, file_size_limit
from ._spool_format import (
    BLOCK_HEADER, BLOCK_HEADER_BYTES, BLOCK_HEADER_SEALED, BLOCK_MAGIC, FILE_HEADER, FILE_HEADER_BYTES,
    FILE_HEADER_CANNOT_GROW, FILE_HEADER_CLOSED, FILE_HEADER_DISK_FULL, FILE_HEADER_DROPPED_WORD, FILE_HEADER_FLAGS,
    FILE_MAGIC, HAND_OVER_BYTES, MAJOR_VERSION, RECORD_HEADER_BYTES, SPAN_BYTES, UNFINISHED,
)

SOURCE = b"python-probe"
MINOR_VERSION_NEEDED = 1

FIRST_BYTES = 65536
FIRST_OTHER_BYTES = 16384
SPAN_BLOCK_BYTES = 1 << 20
OTHER_BLOCK_BYTES = 1 << 18
FIRST_HAND_OVER_BYTES = 1 << 14
HAND_OVER_BLOCK_BYTES = 1 << 18
HAND_OVER_SHARE = 4  # hand-overs take at most one in this many of the file's largest size
DEFAULT_MAX_BYTES = 100 << 20
QUEUE_LIMIT = 10000
GROWERS = ("grow_spans", "grow_hand_overs", "_grow_other")
STORERS = ("append",)
GROW_WAIT_S = 0.05


class Spool:
    """Writes one spool file. All methods may be called from any thread, signal handler or finaliser.

    ``view`` and ``words`` are the file as bytes and as 64-bit words; they are released when the spool is closed or
    abandoned, after which a store raises ValueError instead of touching the file.
    """

    def __init__(self, buffer, path, inode, pid, opened_ns, unix_ns):
        self.path, self.inode, self.opened_ns = path, inode, opened_ns
        self.buffer = buffer
        self.view = memoryview(buffer)
        self.words = self.view.cast("Q")
        self.max_bytes = len(self.view)
        self.error_at_end = 0  # an error number if the system granted less than the size limit
        self.budget = None
        self.other_lock, self.grow_lock = RLock(), RLock()
        self.queue = deque()
        self.count_dropped = count(1).__next__
        self.blocks = []
        self.failed_waits = 0
        self.stopped = False
        self.end_offset = FILE_HEADER_BYTES
        self.hand_over_bytes = 0
        self.hand_over_slots = iter(())
        self.next_hand_over = self.hand_over_slots.__next__
        FILE_HEADER.pack_into(self.view, 0, FILE_MAGIC, MAJOR_VERSION, MINOR_VERSION_NEEDED, FILE_HEADER_BYTES, pid, 0, opened_ns, unix_ns, 0, SOURCE)
        self._open_other_block(FIRST_OTHER_BYTES - FILE_HEADER_BYTES)
        self._open_span_block(FIRST_BYTES - FIRST_OTHER_BYTES)

    def _open_block(self, size_bytes):
        offset = self.end_offset
        BLOCK_HEADER.pack_into(self.view, offset, BLOCK_MAGIC, size_bytes - BLOCK_HEADER_BYTES, 0, 0, len(self.blocks), 0)
        self.end_offset = offset + size_bytes
        return offset

    def _open_slot_block(self, size_bytes, slot_bytes):
        """Opens a block of equal slots. Returns an iterator over their word indices."""
        offset = self._open_block(size_bytes)
        first_word, step = (offset + BLOCK_HEADER_BYTES) >> 3, slot_bytes >> 3
        count = (size_bytes - BLOCK_HEADER_BYTES) // slot_bytes
        slots = _mapped.slots(range(first_word, first_word + count * step, step))
        self.blocks.append((offset, size_bytes, slots, count, slot_bytes))
        return slots

    def _open_span_block(self, size_bytes):
        self.slots = self._open_slot_block(size_bytes, SPAN_BYTES)
        self.next_slot = self.slots.__next__

    def _open_other_block(self, size_bytes):
        offset = self._open_block(size_bytes)
        self.other_block = [offset, size_bytes, offset + BLOCK_HEADER_BYTES]
        self.blocks.append(self.other_block)

    def grow_spans(self):
        """Takes a slot when the open block is full. Returns its word index, or 0 if the record must be dropped."""
        exhausted = self.slots
        if self.stopped or not self._may_grow():
            return self.drop()
        try:
            if self.slots is exhausted:
                if not self._allocate(SPAN_BLOCK_BYTES):
                    return self.drop()
                self._open_span_block(SPAN_BLOCK_BYTES)
            return self.next_slot()
        except StopIteration:
            return self.drop()
        finally:
            self._grown()

    def grow_hand_overs(self):
        """As ``grow_spans``, within the hand-overs' share of the file. The caller counts refusals."""
        exhausted = self.hand_over_slots
        size_bytes = HAND_OVER_BLOCK_BYTES if self.hand_over_bytes else FIRST_HAND_OVER_BYTES
        if self.stopped or self.hand_over_bytes + size_bytes > self.max_bytes // HAND_OVER_SHARE or not self._may_grow():
            return 0
        try:
            if self.hand_over_slots is exhausted:
                if not self._allocate(size_bytes):
                    return 0
                self.hand_over_bytes += size_bytes
                self.hand_over_slots = self._open_slot_block(size_bytes, HAND_OVER_BYTES)
                self.next_hand_over = self.hand_over_slots.__next__
            return self.next_hand_over()
        except StopIteration:
            return 0
        finally:
            self._grown()

    def _may_grow(self):
        """Takes the lock for growing the file. Waits for another thread that is growing it, but never for the calling
        thread itself, which a signal handler or finaliser may have interrupted while growing. A lock that was not
        released because of an exception in a signal handler is taken again."""
        if self.grow_lock._is_owned():
            return not _on_stack(sys._getframe(2), GROWERS)
        if self.failed_waits > 2:
            return False
        if not self.grow_lock.acquire(True, GROW_WAIT_S):
            self.failed_waits += 1
            return False
        return True

    def _grown(self):
        """Releases the lock, however often it was taken."""
        self.failed_waits = 0
        if self.grow_lock._is_owned():
            self.grow_lock._release_save()

    def drop(self):
        """Counts one lost record in the file header. Returns 0."""
        self.words[FILE_HEADER_DROPPED_WORD] = self.count_dropped()
        return 0

    def append(self, record, stored=None):
        """Stores a whole record (bytes, header included); ``stored`` is then called with its word index.

        While another thread stores, the record waits in a queue and is stored by that thread. A lock that was not
        released because of an exception in a signal handler is taken again by its thread."""
        if len(self.queue) >= QUEUE_LIMIT:
            return self.drop()
        self.queue.append((record, stored))
        lock = self.other_lock
        must_wait = lock._is_owned() and _on_stack(sys._getframe(1), STORERS)
        while self.queue and not must_wait and lock.acquire(False):
            try:
                must_wait = self._store_queued()
            finally:
                lock._release_save()  # However often it was taken.

    def _store_queued(self):
        """Returns True if the remaining records must wait until the calling thread, interrupted while growing,
        continues."""
        while self.queue:
            record, stored = self.queue.popleft()
            block = self.other_block
            if block[2] + len(record) > block[0] + block[1]:
                if self.grow_lock._is_owned() and _on_stack(sys._getframe(1), GROWERS):
                    self.queue.appendleft((record, stored))
                    return True
                if not self._grow_other(len(record)):
                    self.drop()
                    continue
            self._store(record, stored)
        return False

    def _store(self, record, stored):
        block, size_bytes = self.other_block, len(record)
        offset = block[2]
        block[2] = offset + size_bytes
        word = offset >> 3
        self.words[word] = UNFINISHED | size_bytes << 32
        self.view[offset + RECORD_HEADER_BYTES:offset + size_bytes] = record[RECORD_HEADER_BYTES:]
        self.words[word] = int.from_bytes(record[:RECORD_HEADER_BYTES], "little")
        if stored is not None:
            stored(word)

    def _grow_other(self, size_bytes):
        if self.stopped or not self._may_grow():
            return False
        try:
            block_bytes = max(OTHER_BLOCK_BYTES, size_bytes + BLOCK_HEADER_BYTES)
            if not self._allocate(block_bytes):
                return False
            self._open_other_block(block_bytes)
            return True
        finally:
            self._grown()

    def _allocate(self, size_bytes):
        """Backs the next bytes of the mapping with disk. The first refusal is final: a retry on a full disk costs as
        much as many records, and later records would leave gaps that look like idle time."""
        if self.path is None:
            return False
        if self.end_offset + size_bytes > self.max_bytes:
            error = self.error_at_end
        elif self.budget and not self.budget.has(size_bytes):
            return False
        else:
            error = back(self.path, self.inode, self.end_offset, size_bytes)
            if not error:
                if self.budget:
                    self.budget.take(size_bytes)
                return True
        if error:
            self.stopped = True
            self.view[FILE_HEADER_FLAGS] |= FILE_HEADER_DISK_FULL if error in (ENOSPC, EDQUOT) else FILE_HEADER_CANNOT_GROW
        return False

    def slots_taken(self, slot_bytes):
        """Slots of that size taken so far."""
        return sum(block[3] - block[2].__length_hint__() for block in self.blocks if len(block) == 5 and block[4] == slot_bytes)

    def abandon(self):
        """Makes every later store fail and leaves the file unchanged (a forked child must not change its parent's)."""
        self.words.release()
        self.view.release()

    def close(self):
        """Seals all blocks and marks the file as closed cleanly."""
        from zlib import crc32

        for sequence, block in enumerate(self.blocks):
            offset, size_bytes = block[0], block[1]
            if len(block) == 3:
                used = block[2] - offset - BLOCK_HEADER_BYTES
            else:
                used = (block[3] - block[2].__length_hint__()) * block[4]
            crc = crc32(self.view[offset + BLOCK_HEADER_BYTES:offset + BLOCK_HEADER_BYTES + used])
            BLOCK_HEADER.pack_into(self.view, offset, BLOCK_MAGIC, size_bytes - BLOCK_HEADER_BYTES, used, crc, sequence, BLOCK_HEADER_SEALED)
        self.view[FILE_HEADER_FLAGS] |= FILE_HEADER_CLOSED
        self.abandon()


TAKEN_BYTES, REFUSED = 0, 1  # words of a budget


class Budget:
    """The limit for the total size of the files of all processes forked from this one. Counted in shared memory without
    a lock: two simultaneous counts may count once, so the limit is approximate."""

    def __init__(self, limit_bytes):
        from mmap import PAGESIZE, mmap

        self.limit_bytes = limit_bytes
        self.words = memoryview(mmap(-1, PAGESIZE)).cast("Q")

    def has(self, size_bytes):
        return self.words[TAKEN_BYTES] + size_bytes <= self.limit_bytes

    def take(self, size_bytes):
        self.words[TAKEN_BYTES] += size_bytes

    def refuse(self):
        self.words[REFUSED] += 1

    def refused(self):
        """Number of processes without a file."""
        return self.words[REFUSED]


def _on_stack(frame, functions):
    """Whether the frame or one of its callers executes one of the functions."""
    while frame is not None:
        if frame.f_code.co_name in functions and frame.f_globals is globals():
            return True
        frame = frame.f_back
    return False


def create(directory, pid, opened_ns, unix_ns, max_bytes=DEFAULT_MAX_BYTES, check_limit=True):
    """Creates ``<pid>-<opened_ns>-python-probe.spool``. Raises OSError or ValueError when it cannot be created.

    ``check_limit`` False skips the check of RLIMIT_FSIZE, which is not needed right after the interpreter's start,
    because it ignores SIGXFSZ.
    """
    if sys.byteorder != "little":
        raise ValueError("spools are written on little-endian machines only")
    limit_bytes = min(max_bytes, file_size_limit() if check_limit else sys.maxsize) & ~4095
    if limit_bytes < FIRST_BYTES:
        raise ValueError("no room for the first block")
    path = os.path.join(directory, "%d-%d-%s.spool" % (pid, opened_ns, SOURCE.decode()))
    buffer, inode = _mapped.create(path, (limit_bytes, min(limit_bytes, 8 << 20), FIRST_BYTES), FIRST_BYTES)
    spool = Spool(buffer, path, inode, pid, opened_ns, unix_ns)
    spool.error_at_end = EFBIG if spool.max_bytes < max_bytes & ~4095 else 0
    return spool


class Endless(Spool):
    """A spool in memory that begins anew when it is full, for measuring what recording costs."""

    def __init__(self):
        Spool.__init__(self, bytearray(FIRST_BYTES), None, None, 0, 0, 0)

    def _again(self, slot_bytes):
        offset, size_bytes = self.blocks[1][:2]
        first_word, step = (offset + BLOCK_HEADER_BYTES) >> 3, slot_bytes >> 3
        count = (size_bytes - BLOCK_HEADER_BYTES) // slot_bytes
        return _mapped.slots(range(first_word, first_word + count * step, step)).__next__

    def grow_spans(self):
        self.next_slot = self._again(SPAN_BYTES)
        return self.next_slot()

    def grow_hand_overs(self):
        self.next_hand_over = self._again(HAND_OVER_BYTES)
        return self.next_hand_over()
