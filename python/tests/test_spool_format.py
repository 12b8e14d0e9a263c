"""What scripts/spool_format.py writes from docs/spool-format.schema is what is checked in."""

import re
import struct
import sys
import unittest

from support import PYTHON_FOLDER, REPOSITORY

sys.path[:0] = [str(PYTHON_FOLDER), str(REPOSITORY / "scripts")]

import spool_format  # noqa: E402
from inferscope import _spool_format as layout  # noqa: E402


# Where spools are read or written -> an access by a number instead of a constant.
ACCESSES = {
    "inferscope-scope/src/main/java/io/inferscope/scope/spool/*.java": r"\.(u8|u16|i32|i64|bytes)\(\d|\.(get|put)(Short|Int|Long)\(\d+,",
    "inferscope-timeline/src/main/java/io/inferscope/timeline/spool/*.java": r"view\.\w+\(\d|\(view, \d|index \+ \d|\.get(Short|Int|Long)\(\d",
    "native/agent/*.c": r"put(16|32|64)\(\w+, \d|spool_begin\(\d|memcpy\((record|head) \+ \d",
    "python/inferscope/**/*.py": r"\.words\[\d|\bword \+ \d|\.pack(_into)?\([^)]*\b\d, 0, \d\d,",
}


class SpoolFormatTest(unittest.TestCase):
    def test_no_field_is_reached_by_a_bare_number(self):
        for sources, access in ACCESSES.items():
            paths = sorted(REPOSITORY.glob(sources))
            self.assertGreater(len(paths), 5, sources)
            found = ["%s: %s" % (path.name, line.strip()) for path in paths for line in path.read_text(encoding="utf-8").split("\n")
                     if re.search(access, line)]
            self.assertEqual([], found)

    def test_a_bare_number_is_found(self):
        for line, access in zip(("out.i64(8, ns);", "view.i64(8)", "put64(record, 8, now);", "recorder.words[word + 2] = 1"), ACCESSES.values()):
            self.assertRegex(line, access)

    def test_writing_the_files_again_changes_nothing(self):
        for path, text in spool_format.files().items():
            self.assertEqual(text, path.read_text(encoding="utf-8"), "run scripts/spool_format.py: %s" % path)

    def test_a_layout_of_the_probe_is_as_long_as_its_records(self):
        for record in spool_format.read_schema().records():
            if record.name in spool_format.WRITTEN_BY_PYTHON:
                self.assertEqual(record.bytes, struct.calcsize(getattr(layout, record.name).format), record.name)

    def test_offsets_of_fields_follow_from_their_order(self):
        schema = spool_format.Schema("version 2.1\npart P 8\n  u64 A\n  u32 B\nrecord 7 R\n  include P\n  str C  of\n" + 24 * " " + "two lines\n  u16 -\n"
                                     "  u16 D\n  u32 -\n  tail T\n  flag 2 X  a bit\npart T\n  u64 E\n")
        record = schema.layouts["R"]
        self.assertEqual([("A", 8), ("B", 16), ("C", 20), ("-", 24), ("D", 26), ("-", 28)], [(field.name, field.offset) for field in record.fields])
        self.assertEqual("of two lines", record.own[0].meaning)
        constants = dict(pair for _, pairs in schema.constants() for pair in pairs)
        self.assertEqual({"MAJOR_VERSION": 2, "MINOR_VERSION": 1, "P_A": 8, "P_B": 16, "R": 7, "R_C": 20, "R_D": 26, "R_BYTES": 32, "R_T": 32,
                          "R_WITH_T_BYTES": 40, "R_FLAG_X": 2, "T_E": 0, "T_BYTES": 8}, constants)
        self.assertEqual((32, "QIIxxHxxxx"), (record.bytes, record.codes.replace("2x", "xx").replace("4x", "xxxx")))

    def test_a_field_that_is_not_aligned_is_refused(self):
        with self.assertRaisesRegex(ValueError, "R B at 12 is not aligned"):
            spool_format.Schema("record 7 R\n  u32 A\n  u64 B\n")
        with self.assertRaisesRegex(ValueError, "R has 12 bytes"):
            spool_format.Schema("record 7 R\n  u32 A\n")
