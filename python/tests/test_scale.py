"""The rows of lab/scale, with a launcher that does nothing, or is killed."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

from support import REPOSITORY, tagged


def scale():
    loader = importlib.machinery.SourceFileLoader("scale", str(REPOSITORY / "lab" / "scale"))
    loaded = importlib.util.module_from_spec(importlib.util.spec_from_loader("scale", loader))
    loader.exec_module(loaded)
    return loaded


@tagged("process")
@unittest.skipIf(sys.version_info < (3, 9), "the tools for measuring run with Python 3.9 or newer")
class ScaleTest(unittest.TestCase):
    def row(self, killed):
        """The row of a trace of 10 and one of 100, and whether it is good; the launcher is killed when it reads the trace ``killed``."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for n in (10, 100, 200):
                (folder / ("plain-%d.json" % n)).touch()
            launcher = folder / "launcher"
            launcher.write_text('#!/bin/sh\ncase $2 in */%s) kill -9 $$ ;; esac\n' % killed)
            launcher.chmod(0o700)
            module = scale()
            return module.measured(module.Lab(str(launcher), folder), "plain", "analyze", 10)

    def test_a_small_run_that_is_killed_is_a_failure(self):
        cells, good = self.row("plain-10.json")
        self.assertFalse(good)
        self.assertRegex(cells[-1], "FAILED: .* ended with -9")

    def test_a_large_run_that_is_killed_is_too_much(self):
        cells, good = self.row("plain-100.json")
        self.assertFalse(good)
        self.assertEqual(["20.0", "TOO MUCH, ended"], cells[-2:])

    def test_costs_below_the_noise_are_equal(self):
        cells, good = self.row("none")
        self.assertTrue(good)
        self.assertEqual(["1.0", ""], cells[-2:])


if __name__ == "__main__":
    unittest.main()
