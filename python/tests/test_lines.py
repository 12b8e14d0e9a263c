"""The number of lines per folder may only fall."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

from support import REPOSITORY

loader = importlib.machinery.SourceFileLoader("lines", str(REPOSITORY / "scripts" / "lines"))
lines = importlib.util.module_from_spec(importlib.util.spec_from_loader("lines", loader))
loader.exec_module(lines)


class LinesTest(unittest.TestCase):
    def test_a_folder_may_have_what_its_row_allows_and_no_more(self):
        rows = {"a": (10, 10, "")}
        self.assertEqual([], list(lines.faults({"a": 9}, rows)))
        self.assertEqual([], list(lines.faults({"a": 10}, rows)))
        self.assertIn("a has 11 lines, 1 more than allowed", *lines.faults({"a": 11}, rows))

    def test_a_new_folder_needs_a_row(self):
        self.assertIn("b has 3 lines, 3 more than allowed", *lines.faults({"b": 3}, {}))

    def test_more_than_the_fewest_needs_a_reason(self):
        self.assertEqual([], list(lines.faults({"a": 12}, {"a": (10, 12, "reads another format")})))
        for reason in ("", " "):
            self.assertIn("no reason is given", *lines.faults({"a": 12}, {"a": (10, 12, reason)}))

    def test_packages_of_main_java_are_rows_and_tests_are_counted_by_module(self):
        for path, row in (("m/src/main/java/io/a/B.java", "m/src/main/java/io/a"), ("m/src/test/java/io/a/B.java", "m/src/test/java"),
                          ("python/inferscope/hooks/torch.py", "python/inferscope/hooks"), ("python/setup.py", "python"),
                          ("native/agent/a.c", "native/agent"), ("scripts/test", "scripts"), ("scripts/packaging/smoke", "scripts/packaging"),
                          ("m/src/main/resources/knowledge/kernels.tsv", None), ("docs/a.md", None), ("m/src/test/resources/a.js", None)):
            self.assertEqual(row, lines.folder(pathlib.PurePath(path)), path)
