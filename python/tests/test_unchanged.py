"""lab/unchanged, with a launcher that changes one thing at a time."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

from support import REPOSITORY, tagged

STARTS = 'while [ "$1" != -- ]; do shift; done; shift; %s'
ROW = 'umask 022; "$@" sh -c "echo out; echo err >&2; echo \\$HOME; echo >file; ls /proc/self/fd | wc -l; exit 3"'


def unchanged():
    loader = importlib.machinery.SourceFileLoader("unchanged", str(REPOSITORY / "lab" / "unchanged"))
    loaded = importlib.util.module_from_spec(importlib.util.spec_from_loader("unchanged", loader))
    loader.exec_module(loaded)
    return loaded


@tagged("process")
class UnchangedTest(unittest.TestCase):
    def judged(self, starts, row=ROW):
        """What is said of a row when a script of a shell starts the program."""
        with tempfile.TemporaryDirectory() as name:
            launcher = pathlib.Path(name) / "launcher"
            launcher.write_text("#!/bin/bash\n" + STARTS % starts)
            launcher.chmod(0o700)
            (pathlib.Path(name) / "lab").mkdir()
            return unchanged().Lab(str(launcher), sys.executable, pathlib.Path(name) / "lab").judge(row)

    def test_a_program_that_does_the_same_is_unchanged(self):
        self.assertEqual([], self.judged('exec "$@"'))

    def test_each_difference_is_found(self):
        for part, starts in (("exit code", '"$@"; exit 4'), ("stdout", '"$@"; code=$?; echo more; exit $code'),
                             ("stderr", '"$@" 2>/dev/null'), ("files", '"$@"; code=$?; chmod 600 file; exit $code'),
                             ("files", '"$@"; code=$?; echo >>file; exit $code'), ("stdout", 'HOME=/nowhere; exec "$@"'),
                             ("stdout", 'exec 9</dev/null "$@"; exec "$@"')):
            found = self.judged(starts)
            self.assertEqual({part}, {line.split(":")[0] for line in found}, starts)

    def test_a_row_that_shows_nothing_is_no_test(self):
        for row in ('"$@" true', '"$@" no-such-program', 'date +%N; "$@" true'):
            self.assertIn("this row is no test", self.judged('exec "$@"', row)[0])

    def test_rows_have_three_parts_and_names_of_their_own(self):
        rows = unchanged().rows(REPOSITORY / "lab" / "programs.tsv")
        self.assertGreaterEqual(len(rows), 61)
        self.assertEqual([3] * len(rows), [len(row) for row in rows])
        self.assertEqual(len(rows), len({name for name, _, _ in rows}))
        self.assertEqual([], [name for name, _, script in rows if '"$@"' not in script])


if __name__ == "__main__":
    unittest.main()
