"""Files that are written by storing into memory: mapped whole, and backed with disk block by block before anything is
stored.

A store is then safe on a full disk, costs no system call, and survives ``kill -9``.
"""

import os
import sys
from errno import EFBIG, EIO, ESTALE
from itertools import count

from ._signals import pass_on

FREE_THREADED = "t" in getattr(sys, "abiflags", "")


class _SharedSlots:
    """Iterates over a range, each number once, in a build without the GIL. Only a counter is safe there."""

    def __init__(self, numbers):
        self.end, self.step = numbers.stop, numbers.step
        self.numbers = count(numbers.start, numbers.step)
        self.take = self.numbers.__next__

    def __next__(self):
        number = self.take()
        if number >= self.end:
            raise StopIteration
        return number

    def __length_hint__(self):
        number = int(repr(self.numbers)[len("count("):-1].partition(",")[0])  # From 3.14 on, a count cannot be pickled.
        return max(0, (self.end - number) // self.step)


def slots(numbers):
    """An iterator over a range from which all threads may take numbers at the same time."""
    return _SharedSlots(numbers) if FREE_THREADED else iter(numbers)


def file_size_limit():
    """RLIMIT_FSIZE in bytes, ``sys.maxsize`` without one. Checked before growing, because exceeding it can raise a
    signal that kills the program.

    Read from /proc: importing ``resource`` here would run the import system inside the program's calls, and it drops
    an exception that a signal handler raises in it, if that is an OSError such as TimeoutError.
    """
    try:
        fd = os.open("/proc/self/limits", os.O_RDONLY | os.O_CLOEXEC)
        try:
            limits = os.read(fd, 4096)
        finally:
            os.close(fd)
        limit = limits[limits.index(b"Max file size"):].split(None, 4)[3]
        return sys.maxsize if limit == b"unlimited" else int(limit)
    except (OSError, ValueError, IndexError) as error:
        pass_on(error)
        return sys.maxsize


def _take_single_pages(buffer):
    """Disables read-ahead: the kernel then maps only the page that is stored into. The pages around it contain zeros,
    and reading them ahead takes 0.3 ms per file."""
    try:
        from mmap import MADV_RANDOM

        buffer.madvise(MADV_RANDOM)
    except (ImportError, OSError) as error:
        pass_on(error)


def create(path, sizes_bytes, first_bytes):
    """Creates a file, maps it in the first of the sizes that the system grants, and backs its first bytes.

    Returns the mapping and the file's identity. On failure raises OSError or ValueError and leaves no file. The mapping
    holds no descriptor, and exists until ``release`` or the end of the process.
    """
    from mmap import mmap

    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        status = os.fstat(fd)
        options = {"trackfd": False} if sys.version_info >= (3, 13) else {}
        for size_bytes in sizes_bytes:
            try:
                # The mapping may reach beyond the file; only mmap's own check needs the full length for a moment.
                os.ftruncate(fd, size_bytes)
                copy = os.dup(fd)
                os.close(copy)
                buffer = mmap(fd, size_bytes, **options)
                break
            except (OSError, ValueError) as error:
                pass_on(error)
                if size_bytes == sizes_bytes[-1]:
                    raise
        os.ftruncate(fd, 0)
        os.posix_fallocate(fd, 0, first_bytes)
        _take_single_pages(buffer)
        if not options:
            _close_copy(buffer, copy, status)
    except BaseException:
        os.unlink(path)
        raise
    finally:
        os.close(fd)
    return buffer, (status.st_dev, status.st_ino)


_cycles = {}  # Of a mapping's id: the number of the copy that was closed, and the list that keeps the mapping.


def _close_copy(buffer, copy, status):
    """Before Python 3.13, a mapping keeps a copy of its descriptor, which would change the numbers that the program's
    files get, and closes that number when it is freed, whatever file the program has under it by then. So the copy is
    closed at once, and the mapping never freed: it is part of a cycle through a code object, into which the garbage
    collector does not look, not even at the interpreter's end."""
    try:
        found = os.fstat(copy)
    except OSError as error:
        pass_on(error)
        return
    if (found.st_dev, found.st_ino) != (status.st_dev, status.st_ino):
        return  # Another thread has opened a file in between.
    cycle = [buffer]
    cycle.append(_close_copy.__code__.replace(co_consts=(cycle,)))
    _cycles[id(buffer)] = copy, cycle
    os.close(copy)


def release(buffer):
    """Frees a mapping that nothing uses any more, before the process ends. If the program uses the number that freeing
    would close, the mapping stays."""
    copy, cycle = _cycles.pop(id(buffer), (None, None))
    if cycle is None:
        return
    from fcntl import F_DUPFD_CLOEXEC, fcntl

    fd = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    taken = fd if fd == copy else fcntl(fd, F_DUPFD_CLOEXEC, copy)
    if fd != copy:
        os.close(fd)
    if taken == copy:
        del cycle[:]  # Whoever drops the last reference to the mapping closes the number.
    else:
        os.close(taken)


def back(path, inode, offset, size_bytes):
    """Backs the next bytes of a mapping with disk. Returns 0, or the error number. A TimeoutError that the program's
    signal handler raises, which is an OSError too, is passed on.

    The file is opened again each time: the program could close a descriptor that was kept open and reuse its number for
    another file.
    """
    if offset + size_bytes > file_size_limit():
        return EFBIG
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        pass_on(error)
        return error.errno or EIO
    try:
        status = os.fstat(fd)
        if (status.st_dev, status.st_ino) != inode or status.st_size < offset:
            return ESTALE
        os.posix_fallocate(fd, offset, size_bytes)
        return 0
    except OSError as error:
        pass_on(error)
        return error.errno or EIO
    finally:
        os.close(fd)
