"""When lab/compare perf ends with 1."""

import collections
import contextlib
import importlib
import io
import sys
import unittest
from unittest import mock

from support import REPOSITORY

PERF = {"interpreter": 5000, "libraries": 5000}
SAME = {"interpreter": 0.5, "libraries": 0.5}


@unittest.skipIf(sys.version_info < (3, 10), "the script needs Python 3.10")
class ComparePerfTest(unittest.TestCase):
    @staticmethod
    def script():
        folders = [str(REPOSITORY / "lab"), str(REPOSITORY / "lab/comparing")]
        with mock.patch.object(sys, "dont_write_bytecode", True), mock.patch.object(sys, "path", folders + sys.path):
            return importlib.import_module("perf")

    def ends_with(self, theirs, ours):
        script = self.script()
        looked = mock.patch.object(script, "look", return_value=(collections.Counter(theirs), collections.Counter(ours)))
        arguments = mock.patch.object(sys, "argv", ["compare-perf", "--perf", "perf", "arrays"])
        with looked, arguments, contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as ended:
            script.main()
        return ended.exception.code

    def test_shares_that_agree_are_right(self):
        self.assertEqual(0, self.ends_with(PERF, SAME))

    def test_a_share_that_only_one_of_them_has_is_wrong(self):
        kernel = "kernel: other"
        self.assertEqual(1, self.ends_with(PERF, {"interpreter": 0.46, "libraries": 0.46, kernel: 0.08}))
        self.assertEqual(1, self.ends_with({"interpreter": 4600, "libraries": 4600, kernel: 800}, SAME))

    def test_nothing_to_compare_is_wrong(self):
        self.assertEqual(1, self.ends_with({}, SAME))
        self.assertEqual(1, self.ends_with(PERF, {}))

    def test_native_time_is_that_of_libraries_and_the_kernels_that_of_causes(self):
        report = {
            "ledgers": [{"classes": [{"id": "system.file-io", "share": 0.03}, {"id": "system.page-fault", "share": 0.01},
                                     {"id": "cpu.python", "share": 0.5}, {"id": "wait.socket", "share": 0.46}]}],
            "nativeModules": [{"module": "libpython3.11.so.1.0", "selfNs": 500}, {"module": "inductor-abc.so", "selfNs": 300},
                              {"module": "kernel", "selfNs": 40}]}
        found = self.script().by_inferscope(report, True)
        expected = {"interpreter": 500, "abc.so": 300, "kernel: file I/O": 30, "kernel: page faults": 10}
        self.assertEqual(expected, {what: round(ns, 6) for what, ns in found.items()})


if __name__ == "__main__":
    unittest.main()
