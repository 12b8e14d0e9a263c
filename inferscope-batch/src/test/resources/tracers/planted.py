"""Tracers that go wrong in every way there is, and some that do not."""

import errno
import os
import pathlib
import signal
import subprocess
import sys
import time

from inferscope.trace import Tracer, Unsupported


class Planted(Tracer):
    outputs = ("out.json",)

    def run(self, ctx, output_dir):
        self.go(ctx, output_dir)
        (output_dir / "out.json").write_text('{"model_type": "%s"}' % ctx.config["model_type"])

    def go(self, ctx, output_dir):
        pass


class Good(Planted):
    name = "good"


class Counting(Planted):
    """Leaves a line for each of its runs beside the model."""

    name = "counting"

    def go(self, ctx, output_dir):
        with open(pathlib.Path(ctx.options.model_path).parent / "runs.txt", "a") as file:
            file.write("run\n")
        time.sleep(0.3)


class Memory(Planted):
    name = "memory"

    def go(self, ctx, output_dir):
        held = []
        while True:
            held.append(bytearray(os.urandom(1024) * 16384))


class FamilyMemory(Planted):
    """No single process takes too much, all together do."""

    name = "family-memory"

    def go(self, ctx, output_dir):
        hold = "import time; held = b'x' * (150 << 20); time.sleep(300)"
        for child in [subprocess.Popen([sys.executable, "-c", hold]) for _ in range(4)]:
            child.wait()


class Hang(Planted):
    """Leaves a grandchild in a session of its own, too."""

    name = "hang"

    def go(self, ctx, output_dir):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
        time.sleep(300)


class Killed(Planted):
    name = "killed"

    def go(self, ctx, output_dir):
        os.kill(os.getpid(), signal.SIGKILL)


class Segfault(Planted):
    name = "segfault"

    def go(self, ctx, output_dir):
        import ctypes

        ctypes.string_at(0)


class Impossible(Planted):
    name = "impossible"

    def go(self, ctx, output_dir):
        raise Unsupported("not today")


class Raising(Planted):
    name = "raising"

    def go(self, ctx, output_dir):
        raise TypeError("shapes do not match")


class Leaving(Planted):
    """Ends the interpreter as if all were well."""

    name = "leaving"

    def go(self, ctx, output_dir):
        os._exit(0)


class Damaged(Planted):
    name = "damaged"

    def run(self, ctx, output_dir):
        (output_dir / "out.json").write_text('{"cut": [1, 2')


class Filling(Planted):
    """Writes until there is no room."""

    name = "filling"

    def go(self, ctx, output_dir):
        (output_dir / "large.bin").write_bytes(bytes(1 << 20))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Polluting(Planted):
    """Changes whatever a process can change."""

    name = "polluting"

    def go(self, ctx, output_dir):
        import json
        import tempfile

        os.environ["SEEN"] = "polluted"
        sys.modules["json"] = None
        json.dumps = lambda value, **options: "polluted"
        pathlib.Path("left.txt").write_text("polluted")
        pathlib.Path(tempfile.gettempdir(), "left.txt").write_text("polluted")


class Looking(Planted):
    """Writes what it can see of others."""

    name = "looking"

    def go(self, ctx, output_dir):
        import json
        import tempfile

        seen = [os.environ.get("SEEN"), os.listdir("."), os.listdir(tempfile.gettempdir()), os.environ.get("HF_TOKEN"),
                os.environ["HF_HUB_OFFLINE"], os.environ.get("LAYER")]
        (output_dir / "seen.json").write_text(json.dumps(seen))


class First(Planted):
    name = "first"
    exclusive_group = "one-is-enough"

    def go(self, ctx, output_dir):
        raise TypeError("the first one fails")


class Second(Planted):
    name = "second"
    exclusive_group = "one-is-enough"


class Third(Planted):
    name = "third"
    exclusive_group = "one-is-enough"


class Profiled(Planted):
    """Leaves what a profiler leaves."""

    name = "profiled"
    outputs = ("out.json", "t.pt.trace.json")
    profile = "*.pt.trace.json"

    def go(self, ctx, output_dir):
        (output_dir / "t.pt.trace.json").write_text(
            '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, '
            '"dur": 5}, {"ph": "X", "cat": "user_annotation", "name": "step", "pid": 1, "tid": 1, "ts": 0, "dur": 9}]}')
