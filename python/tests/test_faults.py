"""The machine's faults, one by one: whatever call on its files fails, the program under the probe must not notice."""

import errno
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from spool_reader import Spool
from support import REPOSITORY, Observed, environment, tagged

PROGRAM = """\
import os, queue, sys
from inferscope import scope, mark_event
q = queue.Queue()
for number in range(2500):
    with scope("step"):
        q.put(number); q.get()
mark_event("half")
pid = os.fork()
if pid == 0:
    with scope("child"): os._exit(3)
assert os.waitpid(pid, 0)[1] >> 8 == 3
print("finished")
sys.exit(5)
"""
ERRORS = {name: getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EMFILE", "ENOMEM", "EIO")}
MOST_CALLS = 200


@tagged("native")
class NthCallTest(Observed):
    @classmethod
    def setUpClass(cls):
        if shutil.which("gcc") is None:
            raise unittest.SkipTest("no C compiler")
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.shim = pathlib.Path(holder.name) / "faulty.so"
        subprocess.check_call(["gcc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", str(cls.shim),
                               str(REPOSITORY / "native/stubs/faulty.c"), "-ldl"])

    def fail_each_call(self, error, **more):
        """Runs the program with each of its calls on the spool folder failing in turn. Returns how many there were."""
        path, log = self.script(PROGRAM), self.folder / "failed"
        for number in range(1, MOST_CALLS):
            for spool in self.spool_folder.iterdir():
                spool.unlink()
            env = environment(self.spool_folder, LD_PRELOAD=self.shim, FAULT_PATH=self.spool_folder, FAULT_CALL=number,
                              FAULT_ERROR=ERRORS[error], FAULT_LOG=log, **more)
            done = self.run_python(path, env=env, exit_code=None)
            failed = log.read_text().split() if log.exists() else []
            with self.subTest(error=error, call=number, failed=failed):
                self.assertEqual((5, b"finished\n", b""), (done.returncode, done.stdout, done.stderr))
                for spool in map(Spool, self.spool_folder.iterdir()):
                    self.assertEqual((0, []), (spool.lost_bytes, spool.unknown))
                    steps = spool.spans("step")
                    self.assertEqual(sorted(steps, key=lambda span: span["start_ns"]), steps, "a prefix, in order")
                    if failed and len(steps) < 2500 and steps:
                        self.assertGreater(spool.header.dropped, 0, "a loss is counted")
            if not failed:
                return number - 1
            log.unlink()
        self.fail("no end of calls")

    def test_a_full_disk_at_each_call(self):
        self.assertGreater(self.fail_each_call("ENOSPC"), 5)

    @tagged("slow")
    def test_other_faults_at_each_call_and_from_each_call_on(self):
        for error in ERRORS:
            self.assertGreater(self.fail_each_call(error), 5)
            self.assertGreater(self.fail_each_call(error, FAULT_STAYS=1), 3)


class LimitTest(Observed):
    def run_limited(self, limit):
        done = self.run_python(self.script(PROGRAM), exit_code=None, preexec_fn=limit)
        self.assertEqual((5, b"finished\n", b""), (done.returncode, done.stdout, done.stderr))
        for spool in self.spools():
            self.assertEqual((0, []), (spool.lost_bytes, spool.unknown))

    def test_limits_of_the_process(self):
        for name, kind, values in (("RLIMIT_FSIZE", resource.RLIMIT_FSIZE, (0, 4096, 65535, 65536, 200000)),
                                   ("RLIMIT_NOFILE", resource.RLIMIT_NOFILE, (8, 16))):
            for value in values:
                with self.subTest(name, value=value):
                    self.run_limited(lambda: resource.setrlimit(kind, (value, value)))

    def test_a_spool_folder_that_vanishes_or_may_not_be_written(self):
        path = self.script("import shutil, os\nif os.environ.get('GONE'): shutil.rmtree(os.environ['INFERSCOPE_SPOOL_DIR'])\n"
                           "else: os.chmod(os.environ['INFERSCOPE_SPOOL_DIR'], 0)\n" + PROGRAM)
        for gone in ("", "1"):
            done = self.run_python(path, env=environment(self.spool_folder, GONE=gone), exit_code=None)
            self.assertEqual((5, b"finished\n", b""), (done.returncode, done.stdout, done.stderr))
            self.spool_folder.mkdir(exist_ok=True)
            self.spool_folder.chmod(0o700)


if __name__ == "__main__":
    unittest.main()
