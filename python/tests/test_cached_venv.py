"""scripts/cached-venv: environments that clones share, with real ones of a package without content."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import REPOSITORY, environment, tagged

SCRIPT = str(REPOSITORY / "scripts" / "cached-venv")
METADATA = "Metadata-Version: 2.1\nName: empty\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
# Goes no further than to an environment with an interpreter, as if the rest took long.
SLOW = """\
#!/bin/sh
case "$*" in "-m venv "*) mkdir -p "$3/bin" && ln -s "%(python)s" "$3/bin/python" && echo >&7 && exec sleep 300 ;; esac
exec "%(python)s" "$@"
"""


@tagged("process")
class CachedVenvTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cached venvs ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        with zipfile.ZipFile(self.folder / "empty-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("empty.py", "")
            for name, text in (("METADATA", METADATA), ("WHEEL", WHEEL), ("RECORD", "")):
                wheel.writestr("empty-1.0.dist-info/" + name, text)
        self.requirements = self.folder / "requirements.txt"
        self.requirements.write_text("# One.\n\nempty==1.0\n")

    def start(self, path=os.environ["PATH"], venvs="venvs", **options):
        env = environment(PATH=path, PIP_NO_INDEX="1", PIP_FIND_LINKS=self.folder.as_uri(), INFERSCOPE_VENVS=self.folder / venvs)
        return subprocess.Popen(
            [SCRIPT, str(self.requirements)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
        )

    def made(self, process):
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        subprocess.run([out.strip(), "-c", "import empty"], check=True)
        return out, err

    def test_processes_at_once_make_one_environment_and_a_later_one_takes_it(self):
        together = [self.made(process) for process in [self.start(), self.start()]]
        later = self.made(self.start())
        self.assertEqual({out for out, _ in together + [later]}, {later[0]})
        self.assertEqual(sorted(err.count("cached-venv: making") for _, err in together), [0, 1])
        self.assertEqual(later[1], "")
        self.assertIn("/venvs/empty-1.0-", later[0])

    @tagged("slow")
    def test_a_failed_installation_leaves_no_environment(self):
        self.requirements.write_text("empty==2.0\n")
        missing = self.start()
        self.assertIn("No matching distribution found for empty==2.0", missing.communicate(timeout=300)[1])
        self.assertEqual(missing.returncode, 1)
        self.assertEqual([one.name for one in (self.folder / "venvs").glob("empty-2.0*") if one.is_dir()], [])

    def test_what_a_killed_run_left_is_made_again(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "python3").write_text(SLOW % {"python": sys.executable})
        (self.folder / "bin" / "python3").chmod(0o755)
        reached, writing = os.pipe()
        os.dup2(writing, 7)
        for descriptor in (reached, writing, 7):
            self.addCleanup(os.close, descriptor)
        killed = self.start(path="%s:%s" % (self.folder / "bin", os.environ["PATH"]), pass_fds=(7,), start_new_session=True)
        self.assertEqual(os.read(reached, 1), b"\n")
        waiting = self.start()
        self.assertIn("waiting for the process that makes", waiting.stderr.readline())
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
        out, err = self.made(waiting)
        self.assertIn("cached-venv: making", err)

    def test_a_folder_that_cannot_be_made_is_named_with_the_remedy(self):
        (self.folder / "file").touch()
        refused = self.start(venvs="file/venvs")
        self.assertIn("file/venvs; set INFERSCOPE_VENVS", refused.communicate(timeout=60)[1])
        self.assertEqual(refused.returncode, 1)


if __name__ == "__main__":
    unittest.main()
