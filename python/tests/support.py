"""Runs programs under the probe, in a process of their own, as ``inferscope run`` would."""

import atexit
import functools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

from spool_reader import Spool

PYTHON_FOLDER = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = PYTHON_FOLDER.parent
sys.path.insert(0, str(REPOSITORY / "lab"))
import noise  # noqa: E402

BOOTSTRAP = PYTHON_FOLDER / "bootstrap"
MOST_SECONDS = 300


def tagged(*names):
    """Marks a test or a class of tests with tags, by which ``python3 python/tests`` chooses: process, torch, native, slow, built."""
    def mark(test):
        test.tags = frozenset(names) | frozenset(getattr(test, "tags", ()))
        return test

    return mark


def environment(spool_folder=None, **changes):
    env = {key: value for key, value in os.environ.items() if not key.startswith("INFERSCOPE_") and key != "PYTHONPATH"}
    if spool_folder is not None:
        env["PYTHONPATH"] = "%s:%s" % (BOOTSTRAP, PYTHON_FOLDER)
        env["INFERSCOPE_SPOOL_DIR"] = str(spool_folder)
    env.update({key: str(value) for key, value in changes.items()})
    return env


SERVER = """\
import atexit, gc, json, os, runpy, signal, sys, threading
# A shell without job control starts what it runs in the background with these ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
for name in sys.argv[1:]:
    __import__(name)
gc.collect()
gc.freeze()
for line in sys.stdin:
    asked = json.loads(line)
    pid = os.fork()
    if pid == 0:
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["env"])
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.path.insert(0, asked["folder"])
        exec(asked["before"])
        break
    print(pid, flush=True)
    status = os.waitpid(pid, 0)[1]
    print(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)
else:
    os._exit(0)
sys.argv = asked["words"]
runpy.run_path(sys.argv[0], run_name="__main__")
# What an interpreter does at its end, without taking all modules apart, which takes longer than most programs.
threading._shutdown()
atexit._run_exitfuncs()
sys.stdout.flush()
sys.stderr.flush()
os._exit(0)
"""


class Copies:
    """Runs programs in copies of one process that has imported modules already, as a fork server would: importing torch and transformers takes
    longer than most tests. One program at a time."""

    of_torch = None
    of_observed_torch = {}

    @classmethod
    def with_torch(cls):
        """The process that has imported torch and transformers: one for all tests, until they end."""
        if cls.of_torch is None:
            models = ("transformers.models.%s.modeling_%s" % (name, name) for name in ("qwen2", "bert", "t5", "vit"))
            cls.of_torch = cls("torch", "torch._dynamo", "torch.fx.experimental.proxy_tensor", "transformers", *models)
            atexit.register(cls.of_torch.close)
        return cls.of_torch

    @classmethod
    def with_observed_torch(cls, hooks):
        """A process that has imported torch under the probe, with these hooks (INFERSCOPE_HOOKS): one for all tests. Its copies are forked children
        of an observed program, and record into the folder that their environment names."""
        if hooks not in cls.of_observed_torch:
            holder = tempfile.TemporaryDirectory()
            copies = cls("torch", "torch._dynamo", "torch.export", env=environment(holder.name, INFERSCOPE_HOOKS=hooks))
            cls.of_observed_torch[hooks] = copies
            atexit.register(holder.cleanup)
            atexit.register(copies.close)
        return cls.of_observed_torch[hooks]

    def __init__(self, *modules, env=None):
        self.running = 0
        self.server = subprocess.Popen([sys.executable, "-B", "-c", SERVER, *modules], env=env or environment(PYTHONPATH=PYTHON_FOLDER),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def begin(self, folder, env, *words, before=""):
        """Starts a script with its arguments in a folder, where ``stdout`` and ``stderr`` are written, and returns its process id. ``before``:
        what the process runs before it."""
        if self.running:  # of a test that failed
            os.kill(self.running, signal.SIGKILL)
            self.end()
        asked = {"folder": str(folder), "env": env, "words": list(map(str, words)), "before": before}
        self.server.stdin.write(json.dumps(asked).encode() + b"\n")
        self.server.stdin.flush()
        self.running = int(self.server.stdout.readline())
        return self.running

    def end(self):
        """Waits for the program and returns its exit code, or a signal's number below 0; kills one that does not end."""
        late = threading.Timer(MOST_SECONDS, os.kill, (self.running, signal.SIGKILL))
        late.start()
        try:
            return int(self.server.stdout.readline())
        finally:
            late.cancel()
            self.running = 0

    def close(self):
        self.server.communicate()


def judged(test):
    """Marks a test that only a quiet machine lets come out right: an attempt that succeeds is enough, two that fail while the machine was quiet are
    a failure, and after two that fail while it was busy the test is skipped. Each attempt begins with a new ``setUp``. The test must not use
    ``subTest``, which would keep its failures to itself."""
    @functools.wraps(test)
    def judge(self):
        failures = []
        while True:
            with noise.Noise() as attempt:
                try:
                    return test(self)
                except AssertionError as error:
                    reason = noise.one_line(error)
                    failures.append(attempt.shares())
                    decided = noise.outcome(failures)
                    if decided == "fail":
                        raise
            if decided == "skip":
                self.skipTest("too busy to judge: %s, and then: %s" % (noise.told(failures[-1]), reason))
            self.doCleanups()
            self.setUp()

    return judge


@tagged("process")
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
