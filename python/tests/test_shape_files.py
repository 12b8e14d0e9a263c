"""The files of a shape log against a plain reading of its words, one by one. Needs no torch."""

import collections
import contextlib
import io
import json
import pathlib
import random
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from inferscope.shapes import recover  # noqa: E402
from inferscope.shapes.files import UNFINISHED, ShapeFiles  # noqa: E402
from inferscope.shapes.log import CAPTURE_BEGIN, CAPTURE_END, DONE, FAILED, MARK, REPLAY, RUNNING, ShapeLog  # noqa: E402

UNKNOWN = 999_999


class RandomLog:
    """A log of random words, and what they say."""

    def __init__(self, folder, seed, dedupe):
        self.folder, self.random = folder, random.Random(seed)
        self.log = ShapeLog(str(folder), {"pid": 0, "start_ticks": 1, "rank": 0, "dedupe": dedupe})
        self.texts, self.words, self.begun, self.over = {}, [], [], []
        for number in range(12):
            name = "aten.op%d.default" % (number % 7)
            inputs = '"operation": "%s", "inputs": {"é": {"shape": [%d], "dtype": "torch.half"}}' % (name, number % 9)
            ident = self.log.signature(name, inputs)
            self.texts[ident] = inputs
            self.begun.append(ident)
            for output in range(2):
                text = ', "outputs": {"shape": [%d]}' % output
                self.over.append(self.log.signature("", text, ident))
                self.texts[self.over[-1]] = inputs + text
        self.marker = self.log.signature("", '"marker": "DECODE_START", "mode": "decode"')
        self.graph = self.log.signature("", '"marker": "GRAPH", "graph": 1')

    def store(self, count):
        """Stores words as threads do: in stretches of a pass, of all kinds."""
        while len(self.words) < count:
            forward_pass = self.random.randrange(5)
            for _ in range(self.random.choice((1, 3, 40))):
                kind = self.random.choice((DONE,) * 12 + (FAILED, MARK, RUNNING, CAPTURE_BEGIN, CAPTURE_END, REPLAY, 0))
                ident = self.random.choice((self.begun if kind == RUNNING else self.over) * 3 + [UNKNOWN])
                ident = self.marker if kind == MARK else self.graph if kind in (CAPTURE_BEGIN, CAPTURE_END, REPLAY) else ident
                self.words.append((kind, ident, forward_pass))
                if kind:
                    self.log.mark(kind, ident, forward_pass)
                else:
                    self.log.chunk[1]()

    def rows(self):
        """What the files must say, and how many words are damaged."""
        rows, calls, damaged, captured = [], 0, 0, []
        for kind, ident, forward_pass in self.words:
            if kind == 0:
                continue
            if ident == UNKNOWN:
                damaged += 1
            elif kind in (DONE, FAILED, RUNNING):
                text = self.texts[ident] + (UNFINISHED if kind == RUNNING else "")
                calls += 1
                rows.append(json.loads('{"call_id": %d, "forward_pass": %d, %s}' % (calls, forward_pass, text)))
            else:
                rows.append(self._mark(kind, forward_pass, calls, captured))
        return rows, damaged

    def _mark(self, kind, forward_pass, calls, captured):
        if kind == MARK:
            return {"marker": "DECODE_START", "mode": "decode", "forward_pass": forward_pass}
        row = {"marker": "GRAPH", "graph": 1}
        if kind == CAPTURE_BEGIN:
            captured[:] = [calls + 1, None]
        elif kind == CAPTURE_END and captured:
            captured[1] = calls
        elif kind == REPLAY:
            row["captured_call_ids"] = list(captured) if captured and captured[1] is not None and captured[1] >= captured[0] else None
        return dict(row, forward_pass=forward_pass)


def key(row):
    return json.dumps([row["operation"], row["inputs"], row["outputs"]])


class FilesTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def lines(self):
        return [json.loads(line) for line in (self.folder / "a.jsonl").read_text(encoding="utf-8").splitlines()]

    def test_every_row_is_what_its_word_says(self):
        for seed in range(8):
            with self.subTest(seed):
                written = RandomLog(self.folder / "a.jsonl.log", seed, False)
                written.store(6000)  # more than a batch
                rows, damaged = written.rows()
                said = recover.recover(str(written.folder))
                self.assertEqual(rows, self.lines())
                summary = json.loads((self.folder / "a_summary.json").read_text())
                calls = [row for row in rows if "call_id" in row]
                self.assertEqual((len(calls), damaged), (summary["total_operations"], summary["lost_operations"]))
                self.assertEqual(len(calls), sum(summary["operation_counts"].values()))
                self.assertEqual(len({row["forward_pass"] for row in rows} - {0}), summary["forward_passes"])
                self.assertIn("%d operators, %d of them unfinished" % (len(calls), summary["unfinished_operations"]), said)

    def test_repetitions_are_written_once_with_their_number(self):
        for seed in range(4):
            with self.subTest(seed):
                written = RandomLog(self.folder / "a.jsonl.log", seed, True)
                written.store(3000)
                rows, _ = written.rows()
                recover.recover(str(written.folder))
                counts = collections.Counter(key(row) for row in rows if "call_id" in row and "error" not in row)
                found = [row for row in self.lines() if "call_id" in row]
                self.assertEqual(list(range(1, 1 + len(found))), [row["call_id"] for row in found])
                self.assertEqual(list(counts.items()), [(key(row), row["count"]) for row in found if "error" not in row])
                self.assertEqual(sum("error" in row for row in rows), sum("error" in row for row in found))

    def test_a_log_that_cannot_be_read_is_left_as_it_was(self):
        folder = self.folder / "a.jsonl.log"
        log = ShapeLog(str(folder), {"pid": 0, "start_ticks": 1, "rank": 0, "dedupe": False})
        log.mark(DONE, log.signature("op", '"operation": "op", "inputs": {}'), 1)
        (folder / "signatures-0000").write_bytes(b"rubbish\n")
        (self.folder / "none.jsonl.log").mkdir()
        before = sorted(path.name for path in folder.iterdir())
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(3, recover.main([str(folder), str(self.folder / "none.jsonl.log"), str(self.folder)]))
        self.assertEqual(["it is damaged", "it is not a shape log", "it is not a shape log"],
                         [line.split(": ")[1].split(",")[0].split(" (")[0] for line in said.getvalue().splitlines()])
        self.assertEqual(before, sorted(path.name for path in folder.iterdir()))
        self.assertEqual(["a.jsonl.log", "none.jsonl.log"], sorted(path.name for path in self.folder.iterdir()))

    def test_a_running_operator_holds_back_what_comes_after_it(self):
        folder = self.folder / "a.jsonl.log"
        log = ShapeLog(str(folder), {"pid": 0, "start_ticks": 1, "rank": 0, "dedupe": False})
        ident = log.signature("op", '"operation": "op", "inputs": {}')
        files = ShapeFiles(str(folder)).open()
        log.mark(DONE, ident, 1)
        words, take = log.chunk
        index = take()
        words[index] = ident | 1 << 32 | RUNNING << 56
        log.mark(DONE, ident, 1)
        self.assertEqual((1, 0), (files.advance(), files.advance()))
        words[index] = ident | 1 << 32 | DONE << 56
        self.assertEqual(2, files.advance())
        files.finish(True)
        self.assertEqual([1, 2, 3], [row["call_id"] for row in self.lines()])
        self.assertEqual(log.taken(), 3)

    def test_a_line_that_is_being_stored_is_read_when_it_is_wanted(self):
        folder = self.folder / "a.jsonl.log"
        log = ShapeLog(str(folder), {"pid": 0, "start_ticks": 1, "rank": 0, "dedupe": False})
        files = ShapeFiles(str(folder)).open()
        log.mark(DONE, log.signature("first", '"operation": "first", "inputs": {}'), 1)
        start, second = log.text_bytes, log.signature("second", '"operation": "second", "inputs": {}')
        whole = bytes(log.text[start:log.text_bytes])
        log.text[start:log.text_bytes - 5] = bytes(len(whole) - 5)
        self.assertEqual(1, files.advance())
        log.text[start:log.text_bytes] = whole
        log.mark(DONE, second, 1)
        files.finish(True)
        self.assertEqual(["first", "second"], [row["operation"] for row in self.lines()])

    def test_words_are_stored_as_the_layout_says(self):
        log = ShapeLog(str(self.folder / "b.log"), {})
        log.mark(DONE, 7, 3)
        self.assertEqual(struct.pack("<Q", 7 | 3 << 32 | DONE << 56), (self.folder / "b.log" / "calls-0000").read_bytes()[:8])
