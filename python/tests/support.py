"""Runs programs under the probe, in a process of their own, as ``inferscope run`` would."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from spool_reader import Spool

PYTHON_FOLDER = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = PYTHON_FOLDER.parent
BOOTSTRAP = PYTHON_FOLDER / "bootstrap"


def environment(spool_folder=None, **changes):
    env = {key: value for key, value in os.environ.items() if not key.startswith("INFERSCOPE_") and key != "PYTHONPATH"}
    if spool_folder is not None:
        env["PYTHONPATH"] = "%s:%s" % (BOOTSTRAP, PYTHON_FOLDER)
        env["INFERSCOPE_SPOOL_DIR"] = str(spool_folder)
    env.update({key: str(value) for key, value in changes.items()})
    return env


class Observed(unittest.TestCase):
    """Gives each test a folder with a spool directory in it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()
        self.spool_folder = self.folder / "spools"
        self.spool_folder.mkdir()

    def script(self, source, name="program.py"):
        path = self.folder / name
        path.write_text(textwrap.dedent(source))
        return path

    def run_python(self, *arguments, env=None, observed=True, exit_code=0, preexec_fn=None, timeout_s=300):
        env = env or environment(self.spool_folder if observed else None)
        done = subprocess.run([sys.executable, *map(str, arguments)], env=env, cwd=str(self.folder), timeout=timeout_s,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=preexec_fn)
        if exit_code is not None:
            self.assertEqual(exit_code, done.returncode, done.stderr.decode())
        return done

    def run_source(self, source, **options):
        """Runs a program and returns its only spool."""
        self.run_python(self.script(source), **options)
        return self.only_spool()

    def library(self, name, source):
        """Writes a stand-in for a library's module, which programs in the folder import."""
        path = self.folder.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in path.relative_to(self.folder).parents:
            if folder.name:
                (self.folder / folder / "__init__.py").touch()
        path.write_text(textwrap.dedent(source))
        return path

    def until_right(self, attempt, attempts=4):
        """Repeats a comparison of clocks, which a pause between two readings upsets now and then; one that errs does so every time."""
        for left in reversed(range(attempts)):
            for path in self.spool_folder.iterdir():
                path.unlink()
            try:
                return attempt()
            except AssertionError:
                if not left:
                    raise

    def spools(self):
        return [Spool(path) for path in sorted(self.spool_folder.iterdir())]

    def only_spool(self):
        spools = self.spools()
        self.assertEqual(1, len(spools))
        self.assert_sound(spools[0])
        return spools[0]

    def assert_sound(self, spool):
        self.assertEqual(0, spool.lost_bytes)
        self.assertEqual([], spool.unknown)
        self.assertNotIn(False, [block.crc_right for block in spool.blocks])
        self.assertEqual(list(range(len(spool.blocks))), [block.sequence for block in spool.blocks])
