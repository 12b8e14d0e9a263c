"""Compares the shares of libraries and of causes of kernel work that InferScope and `perf record` find in the same runs of six programs.

    lab/compare perf [--seconds S] [--rate HZ] [--perf PATH] [--python PATH] [PROGRAM...]

Each program is recorded twice: with native stacks, and with `--no-native`. Shares are those of the main thread's time on a CPU; its libraries use no
other threads, whose time InferScope's table of native code would include. With native stacks, each library is compared. Without, the library is not
known in which a called function spends its time, so that all libraries are taken together, and the interpreter's work for one of them counts as theirs.

Ends with 1 when a share differs by more than 2 points with native stacks, by more than 6 without, beyond four standard errors of both samples, or when
one of them has seen nothing. PROGRAM needs torch (`eager`, `operators`, `inductor`) or numpy (`arrays`). perf needs root, or
kernel.perf_event_paranoid at 1 or less.
"""

import argparse
import collections
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from measuring import LAUNCHER

TORCH = "import torch\ntorch.set_num_threads(1)\n"
PROGRAMS = {
    "eager": TORCH + "model = torch.nn.Sequential(*(m for _ in range(4) for m in (torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.LayerNorm(256))))\n"
             "x = torch.randn(16, 256)\n@torch.inference_mode()\ndef step():\n    model(x)\n",
    "operators": TORCH + "logits = torch.randn(8, 32000)\n@torch.inference_mode()\ndef step():\n"
                 "    values, order = torch.sort(torch.softmax(logits, -1), descending=True)\n"
                 "    torch.where(torch.cumsum(values, -1) > 0.9, 0.0, values).sum()\n",
    "inductor": TORCH + "x = torch.randn(512, 512)\n@torch.compile\ndef fused(x):\n    return (torch.sin(x) * torch.exp(-x * x) + torch.sqrt(x.abs())).sum(-1)\n"
                "fused(x)\ndef step():\n    fused(x)\n",
    "arrays": "import os\nos.environ['OPENBLAS_NUM_THREADS'] = '1'\nimport numpy as np\na = np.random.rand(300, 300)\ndef step():\n    b = a @ a\n    np.sort(b, axis=1)\n    sum(range(20000))\n",
    "writes": "import os, tempfile\nout = tempfile.TemporaryFile(buffering=0)\nblock = bytes(1 << 20)\ndef step():\n"
              "    out.seek(0)\n    out.write(block)\n    sum(range(20000))\n",
    "faults": "import mmap\ndef step():\n    room = mmap.mmap(-1, 2000 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
              "    room[::4096] = bytes(2000)\n    room.close()\n    sum(range(20000))\n",
}
LOOP = "\nimport sys, threading\nended = threading.Event()\nthreading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()\n" \
       "for _ in range(20): step()\nprint('ready', flush=True)\nwhile not ended.is_set():\n    step()\n"
INTERPRETER = re.compile(r"(lib)?python[\d.]*.*")

# Why the kernel was entered, from the outermost function that shows it (perf) or from InferScope's class (without perf events).
CAUSES = [("page faults", re.compile(r"page faults|(asm_)?exc_page_fault|handle_mm_fault|do_user_addr_fault")),
          ("file I/O", re.compile(r"file I/O|(__x64_sys_|__do_sys_|ksys_|vfs_)(p?read|p?write|lseek|fsync|open)\w*")),
          ("mapping memory", re.compile(r"mapping memory|(__x64_sys_|__do_sys_|vm_|__vm_|ksys_)(mmap|munmap|brk|madvise|mprotect)\w*"))]


KERNEL = {"system.page-fault": "kernel: page faults", "system.file-io": "kernel: file I/O", "system.memory-map": "kernel: mapping memory"}


def cause(functions):
    """Why the kernel was entered, from its functions, the outermost first."""
    for function in functions:
        for name, pattern in CAUSES:
            if pattern.fullmatch(function):
                return "kernel: " + name
    return "kernel: other"


def code(path, is_native):
    """Returns the library that user code in a file belongs to, or "interpreter"."""
    name = re.sub("^inductor-", "", os.path.basename(path))  # InferScope marks the files that Inductor made.
    name = "jit" if re.fullmatch(r"perf-\d+\.map|\[anon\]|//anon", name) else name
    return "interpreter" if INTERPRETER.fullmatch(name) else name if is_native else "libraries"


def by_perf(perf, data, pid, is_native):
    """Samples of the main thread by kind of code or cause."""
    counts = collections.Counter()
    text = subprocess.run([perf, "script", "-i", data, "--pid", str(pid), "-F", "tid,time,ip,sym,dso"], capture_output=True, text=True, check=True).stdout
    for block in text.split("\n\n"):
        frames = [(line.split(None, 1)[1].rpartition(" (")) for line in block.splitlines()[1:] if " (" in line]
        if not frames or int(block.split()[0].split("/")[-1].rstrip(":")) != pid:
            continue
        function, _, dso = frames[0]
        if dso.startswith("[kernel"):
            counts[cause([f.split("+")[0] for f, _, d in reversed(frames) if d.startswith("[kernel")])] += 1
        else:
            counts[code(dso.rstrip(")"), is_native)] += 1
    return counts


def by_inferscope(report, is_native):
    """The main thread's time on a CPU by kind of code or cause: causes from the ledger of a report, libraries from its table of native code."""
    times = collections.Counter()
    for entry in report["ledgers"][0]["classes"]:
        kind = entry["id"]
        if kind.startswith("system."):
            times[KERNEL.get(kind, "kernel: other")] += entry["share"]
        elif kind in ("cpu.python", "framework.python"):
            times["interpreter"] += entry["share"]
        elif not kind.startswith("wait.") and kind != "unattributed":
            times["libraries"] += entry["share"]
    return by_library(report, times) if is_native else times


def by_library(report, classes):
    """Time by library, where that in the kernel is divided by cause as the ledger's."""
    causes = {cause: share for cause, share in classes.items() if cause.startswith("kernel: ")}
    times = collections.Counter()
    for module in report["nativeModules"]:
        if module["module"] != "kernel":
            times[code(module["module"], True)] += module["selfNs"]
        for cause, share in causes.items() if module["module"] == "kernel" else ():
            times[cause] += module["selfNs"] * share / sum(causes.values())
    return times


def look(options, name, is_native, folder):
    script = os.path.join(folder, name + ".py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(PROGRAMS[name] + LOOP)
    target = subprocess.Popen([options.python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    data, report = (os.path.join(folder, name + ending) for ending in (".perf", ".json"))
    try:
        if target.stdout.readline().strip() != "ready":
            raise SystemExit("%s did not start" % name)
        perf = subprocess.Popen([options.perf, "record", "-q", "-F", "997", "-e", "cpu-clock", "-g", "-p", str(target.pid), "-o", data],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([LAUNCHER, "attach", str(target.pid), "--duration", "%ds" % options.seconds, "--sample-rate", str(options.rate),
                        "--trace", os.path.join(folder, "trace.json.gz"), "-o", report] + ([] if is_native else ["--no-native"]),
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        perf.send_signal(signal.SIGINT)
        perf.wait()
        theirs = by_perf(options.perf, data, target.pid, is_native)
    finally:
        target.stdin.close()
        target.wait()
    with open(report, encoding="utf-8") as file:
        return theirs, by_inferscope(json.load(file), is_native)


def compared(theirs, ours):
    """Kinds with 2 % or more by either tool, with both shares, the largest first."""
    found = [(what, theirs[what] / theirs.total(), ours[what] / ours.total()) for what in theirs.keys() | ours.keys()]
    return sorted((one for one in found if max(one[1:]) >= 0.02), key=lambda one: (-max(one[1:]), one[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--rate", type=int, default=400)
    parser.add_argument("--perf", default=shutil.which("perf"))
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    if not options.perf:
        parser.error("perf is not on the PATH; name it by --perf")
    wrong = 0
    print("%-10s %-8s %-32s %8s %12s %7s" % ("program", "", "code or cause", "perf %", "InferScope %", "bound"))
    for name in options.programs:
        for is_native in (True, False):
            with tempfile.TemporaryDirectory() as folder:
                theirs, ours = look(options, name, is_native, folder)
            if name == "eager" and not is_native:  # The Python code of modules counts as the model's.
                for shares in (theirs, ours):
                    shares["libraries"] += shares.pop("interpreter", 0)
            samples = min(theirs.total(), options.seconds * options.rate)
            if not samples or not ours.total():
                wrong += 1
                print("%-10s %-8s nothing to compare: %d samples by perf  <<<" % (name, "native" if is_native else "", theirs.total()), flush=True)
                continue
            for what, share, own in compared(theirs, ours):
                mean = (share + own) / 2
                bound = (0.02 if is_native else 0.06) + 4 * math.sqrt(2 * mean * (1 - mean) / samples)
                wrong += abs(share - own) > bound
                print("%-10s %-8s %-32s %8.1f %12.1f %7.1f%s" % (name, "native" if is_native else "", what[:32], 100 * share, 100 * own, 100 * bound,
                                                               "  <<<" if abs(share - own) > bound else ""), flush=True)
    sys.exit(1 if wrong else 0)
