"""Reads a shape log, whose layout ``log`` describes, while it grows or after its process has ended.

Both readers continue where they stopped, and read little of the unused space at the end: it is most of a short log.
"""

import json
import os

from .._signals import pass_on

LOG_ENDING = ".log"
WORDS_BYTES = 1 << 15  # A few milliseconds of work, during which other threads wait.
TEXTS_BYTES = 1 << 16


class _Files:
    """The numbered files of one name, read as one."""

    def __init__(self, path):
        self.path, self.file, self.offset = path, 0, 0

    def read(self, size_bytes):
        """(the next unused bytes, whether the file is complete), or (None, False) if there is no file."""
        full = os.path.exists("%s-%04d" % (self.path, self.file + 1))
        try:
            with open("%s-%04d" % (self.path, self.file), "rb", buffering=0) as file:
                file.seek(self.offset)
                return file.read(size_bytes), full
        except FileNotFoundError:
            return None, False

    def next_file(self):
        self.file, self.offset = self.file + 1, 0


class Signatures:
    """The texts of a log by id; read on as the log grows. ``same``: id -> the first id with the same text."""

    def __init__(self, folder):
        self.files = _Files(os.path.join(folder, "signatures"))
        self.texts, self.operations, self.same = {}, {}, {}
        self.first = {}

    def read(self, wanted):
        """Reads until the texts of all wanted ids are known, or to the end. A later line may be stored incompletely,
        its end before its begin; it then still contains a zero."""
        missing, size_bytes = wanted.difference(self.texts), TEXTS_BYTES
        while missing:
            data, full = self.files.read(size_bytes)
            if data is None:
                return
            read_bytes = 0
            for line in data.split(b"\n")[:-1]:
                if not missing and b"\0" in line:
                    break
                missing.discard(self._add(*line.lstrip(b"\0").decode("utf-8", "replace").split("\t", 3)))
                read_bytes += len(line) + 1
            self.files.offset += read_bytes
            if read_bytes:
                size_bytes = TEXTS_BYTES
            elif len(data) == size_bytes:
                size_bytes *= 2  # A long line, or unused room before the next.
            elif full:
                self.files.next_file()
            else:
                return

    def _add(self, ident, parent, operation, text):
        ident, parent = int(ident), int(parent)
        if parent:
            text, operation = self.texts[parent] + text, self.operations[parent]
        self.texts[ident], self.operations[ident] = text, operation
        self.same[ident] = self.first.setdefault(text, ident)
        return ident


class Words:
    """The words of a log in order."""

    def __init__(self, folder):
        self.files = _Files(os.path.join(folder, "calls"))

    def batches(self, final):
        """Bytes of whole words up to the last stored one; the caller reports the number of words it has processed to
        ``used``. Each thread has at most one word that is taken but not stored, so a batch of zeros is unused space.
        ``final``: the log is complete."""
        while True:
            data, full = self.files.read(WORDS_BYTES)
            if data is None:
                return
            stored_bytes = len(data.rstrip(b"\0")) + 7 & ~7
            before = self.files.offset
            if stored_bytes:
                yield data[:stored_bytes]
                if self.files.offset == before:
                    return
            elif full and final and data:
                self.used(len(data) >> 3)
            elif full and not data:
                self.files.next_file()
            else:
                return

    def used(self, count):
        self.files.offset += count * 8


def read_meta(folder):
    """The log's meta.json. Raises OSError, or ValueError if the folder is not a log."""
    try:
        with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
            meta = json.load(file)
        if isinstance(meta, dict) and folder.endswith(LOG_ENDING):
            return meta
    except (FileNotFoundError, NotADirectoryError):
        pass
    raise ValueError("it is not a shape log: that is a folder such as shapes.jsonl%s, with a meta.json in it" % LOG_ENDING)


def remove(folder):
    """Deletes a log that is not needed any more."""
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)


def alive(meta):
    """Whether the writer of a log still runs."""
    return process_start(meta["pid"]) == meta["start_ticks"]


def process_start(pid):
    """When a process started, in clock ticks since boot (proc(5), stat, field 22); 0 when there is none or it is a
    zombie."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return 0 if fields[0] == b"Z" else int(fields[19])
    except (OSError, IndexError) as error:
        pass_on(error)
        return 0
