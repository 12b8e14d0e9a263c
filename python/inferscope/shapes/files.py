"""Turns a shape log into its two files: ``shapes.jsonl``, one operator per line, and ``shapes_summary.json``.

The recorded process does so while it runs and at its end, ``recover`` for a killed process. ``log`` describes the log's
layout.
"""

import json
import os
from collections import Counter
from itertools import chain, groupby, repeat

from .. import _native
from .reader import LOG_ENDING, Signatures, Words, read_meta, remove

VERSION = 1
DONE, RUNNING, FAILED, MARK, CAPTURE_BEGIN, CAPTURE_END, REPLAY = 1, 2, 3, 4, 5, 6, 7
# Rows written at once: about 100 kB. Above that malloc takes new pages every time, which is a third of the whole cost.
ROWS = 500
UNFINISHED = ', "outputs": null, "error": {"error_type": "Unfinished", "error_message": "the process ended while this operator ran"}'

IN_C = _native.load("_shape_native")

_encode = json.JSONEncoder(separators=(",\n    ", ": ")).encode


class ShapeFiles:
    """Writes the files of one log. ``meta``: the log's meta.json, if it was read already."""

    def __init__(self, folder, meta=None):
        self.meta = meta or read_meta(folder)
        if self.meta.get("version") != VERSION:
            raise ValueError("it is of version %s; this reader knows version %d" % (self.meta.get("version"), VERSION))
        self.folder, self.path = folder, folder[:-len(LOG_ENDING)]
        self.dedupe = bool(self.meta["dedupe"])
        self.signatures, self.words = Signatures(folder), Words(folder)
        self.lines = self.unfinished = self.damaged = 0
        self.counts = Counter()
        self.passes = set()
        self.marks = {}
        self.graphs, self.capture = {}, None

    def open(self):
        """Starts the file from the beginning. It is unbuffered, because a forked child would write the buffer a second
        time."""
        self.out = open(self.path, "wb", buffering=0)
        return self

    def _put(self, data):
        data = memoryview(data)
        while data:
            data = data[self.out.write(data):]

    def advance(self, final=False):
        """Writes the new rows and returns their number. Before the end it stops at the first operator that is still
        running."""
        before = self.lines
        for words in self.words.batches(final):
            used = self._write(words, final)
            self.words.used(used)
            if used < len(words) >> 3:
                break
        return self.lines - before

    def _write(self, words, final):
        """Writes the rows of words up to the first that is not ready, and returns the number of words used."""
        halves, used = memoryview(words).cast("I"), 0
        all_idents = halves[::2].tolist()
        for head, stretch in groupby(halves[1::2].tolist()):
            kind, forward_pass = head >> 24, head & 0xFFFFFF
            if (kind == RUNNING or kind == 0) and not final:
                break
            start, used = used, used + len(list(stretch))
            if kind == 0:
                continue
            known = self._known(all_idents[start:used])
            if kind > FAILED:
                self._put(_bytes(self._mark(kind, ident, forward_pass) for ident in known))
            elif known:
                self.passes.add(forward_pass)
                for first in range(0, len(known), ROWS):
                    self._put(self._rows(known[first:first + ROWS], forward_pass, kind == RUNNING))
        return used

    def _known(self, idents):
        """The ids whose texts are in the log; the others are counted as damaged."""
        texts, wanted = self.signatures.texts, set(idents)
        if not texts.keys() >= wanted:
            self.signatures.read(wanted)
            known = [ident for ident in idents if ident in texts]
            self.damaged += len(idents) - len(known)
            return known
        return idents

    def _rows(self, idents, forward_pass, unfinished):
        """The rows of operators of one forward pass."""
        if self.dedupe:
            idents = self._new(idents, unfinished)
        else:
            self.counts.update(idents)
        first, self.lines = self.lines + 1, self.lines + len(idents)
        self.unfinished += len(idents) if unfinished else 0
        return rows(self.signatures.texts, idents, first, ', "forward_pass": %d, ' % forward_pass, UNFINISHED + "}\n" if unfinished else "}\n")

    def _new(self, idents, unfinished):
        """Counts calls and returns those to write: the first of each signature, and every unfinished one."""
        new = []
        for ident, count in Counter(map(self.signatures.same.__getitem__, idents)).items():
            if unfinished or ident not in self.counts:
                new += [ident] * (count if unfinished else 1)
            self.counts[ident] += count
        return new

    def _mark(self, kind, ident, forward_pass):
        """A marker row. A replay's row names the calls that were recorded when its graph was captured."""
        text = self.signatures.texts[ident]
        mark = json.loads("{%s}" % text)
        self.marks[mark["marker"]] = self.marks.get(mark["marker"], 0) + 1
        if forward_pass:
            self.passes.add(forward_pass)
        graph = mark.get("graph")
        if kind == CAPTURE_BEGIN:
            self.graphs[graph] = [self.lines + 1, None]
        elif kind == CAPTURE_END and graph in self.graphs:
            self.graphs[graph][1] = self.lines
        elif kind == REPLAY:
            first, last = self.graphs.get(graph, (1, None))
            captured = [first, last] if last is not None and last >= first and not self.dedupe else None
            text += ', "captured_call_ids": %s' % json.dumps(captured)
        return '{%s, "forward_pass": %d}\n' % (text, forward_pass)

    def summary(self, complete, facts=None):
        """The fields of the summary. ``facts``: fields that only the recorded process knows."""
        operations = {}
        for ident, count in self.counts.items():
            name = self.signatures.operations[ident]
            operations[name] = operations.get(name, 0) + (1 if self.dedupe else count)
        calls = sum(self.counts.values())
        return {
            "rank": self.meta["rank"],
            "total_operations": self.lines,
            "forward_passes": len(self.passes - {0}),
            "unique_operations": len(operations),
            "operation_counts": dict(sorted(operations.items(), key=lambda item: (-item[1], item[0]))),
            "dedupe_enabled": self.dedupe,
            "dedupe_skipped_count": calls - self.lines,
            "unique_op_signatures": len({self.signatures.texts[ident] for ident in self.counts}),
            "complete": complete,
            "unfinished_operations": self.unfinished,
            "lost_operations": self.damaged + (facts or {}).get("lost", 0),
            "markers": dict(sorted(self.marks.items())),
            "problems": (facts or {}).get("problems", {}),
        }

    def write_summary(self, complete, facts=None):
        """Replaces the summary as a whole."""
        path = summary_path(self.path)
        lines = ('  "%s": %s' % (name, _encode(value)) for name, value in self.summary(complete, facts).items())
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write("{\n%s\n}\n" % ",\n".join(lines))
        os.replace(path + ".part", path)

    def make(self):
        """Makes the file of the operators from beginning to end."""
        with self.open().out:
            self._complete()

    def _complete(self):
        self.advance(final=True)
        self.out.close()
        if self.dedupe:
            self._add_counts()

    def finish(self, complete, facts=None):
        """Writes the rest, gives repeated calls their counts, writes the summary, and deletes the log."""
        self._complete()
        self.write_summary(complete, facts)
        remove(self.folder)

    def _add_counts(self):
        """Adds the number of calls to each line of a file without repetitions. The file is rewritten, because the
        number is known only now."""
        by_text = {self.signatures.texts[ident]: count for ident, count in self.counts.items()}
        with open(self.path, encoding="utf-8") as old, open(self.path + ".part", "w", encoding="utf-8", newline="\n") as new:
            for line in old:
                start = line.find('"operation"')
                count = by_text.get(line[start:-2]) if line.startswith('{"call_id"') else None
                new.write(line if count is None else '%s, "count": %d}\n' % (line[:-2], count))
        os.replace(self.path + ".part", self.path)


def _bytes(pieces):
    return "".join(pieces).encode("utf-8", "replace")


def plain_rows(texts, idents, first, middle, end):
    """The lines of operators as bytes. ``texts``: id -> text; ``first``: the number of the first; ``middle``, ``end``:
    what follows a number and a text. Raises KeyError for an id without a text. It only chains functions written in C,
    because a loop takes three times as long."""
    numbers = map(str, range(first, first + len(idents)))
    return _bytes(chain.from_iterable(zip(repeat('{"call_id": '), numbers, repeat(middle), map(texts.__getitem__, idents), repeat(end))))


rows = plain_rows if IN_C is None else IN_C.rows


def summary_path(path):
    """``shapes_summary.json`` for ``shapes.jsonl``."""
    return os.path.splitext(path)[0] + "_summary.json"
