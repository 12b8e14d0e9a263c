"""Traces tiny models while processes of the batch are killed at random, and checks that restarts finish every pair.

    lab/bench trace-soak [--models 20] [--kill-every 60] [--seed 0] [--jobs 1] [--python PYTHON] [--keep FOLDER] [--finished 1000]

Once in --kill-every seconds (0: never) one process of the batch, InferScope's own included, gets SIGKILL. The same command is started
again until it ends with 0, a pair's failures at most three more times. Printed: starts, kills, attempts, and InferScope's own CPU seconds without
those of the tracers (only without kills, because a killed process reports none). --finished copies models and results until there are this many
pairs, and prints the cost of a batch in which all pairs are already done.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from measuring import LAUNCHER, once

TRACERS = ("torch_profiler", "torch_dispatch", "print_fx", "print_aten_ops")
MOST_ATTEMPTS = 4
BYPASSES = 5
MARK = "INFERSCOPE_TRACE_SOAK"
MAKE = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import tiny_models
makers = list(tiny_models.ALL.values())
for number in range(int(sys.argv[3])):
    makers[number % len(makers)](pathlib.Path(sys.argv[2], "model-%02d" % number))
"""


def family(mark):
    """Returns the processes of the batch: all that have the mark in their environment."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and mark in pathlib.Path("/proc", name, "environ").read_bytes():
                found.append(int(name))
        except OSError:
            continue
    return found


def kill_now_and_then(every_s, mark, stop, kills):
    while not stop.wait(every_s):
        victims = family(mark)
        if victims:
            victim = random.choice(victims)
            try:
                words = pathlib.Path("/proc/%d/cmdline" % victim).read_bytes().split(b"\0")[:4]
                os.kill(victim, signal.SIGKILL)
                kills.append(b" ".join(words).decode(errors="replace")[:60])
                print("killed %s" % kills[-1], flush=True)
            except OSError:
                continue


def statuses(output):
    return [json.loads(path.read_text()) for path in sorted(output.glob("*/*/*/_TRACE_STATUS.json"))]


def start(command, environment):
    """Returns exit code (negative: signal) and CPU seconds, those of the tracers included."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def soak(arguments, folder):
    once([LAUNCHER, "--version"])  # It may have to build itself first.
    tests = pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"
    once([arguments.python, "-c", MAKE, str(tests), str(folder / "models"), str(arguments.models)])
    models = sorted(str(path) for path in (folder / "models").iterdir())
    (folder / "models.txt").write_text("\n".join(models) + "\n")
    output = folder / "out"
    command = batch(folder, output, arguments.python) + ["--jobs", str(arguments.jobs)]
    environment = dict(os.environ, **{MARK: str(folder)})
    stop, kills = threading.Event(), []
    if arguments.kill_every:
        threading.Thread(target=kill_now_and_then, daemon=True, args=(
            arguments.kill_every, ("%s=%s" % (MARK, folder)).encode(), stop, kills)).start()
    begun, starts, code, cpu_s, attempts = time.monotonic(), 0, -1, 0.0, 0
    while code != 0 and attempts < MOST_ATTEMPTS:
        code, cpu_s = start(command, environment)
        starts += 1
        failed = [status["attempts"] for status in statuses(output) if not status["success"]]
        attempts = max(failed, default=0)
        print("start %d ended with %d: %d pairs done, %d failed" % (
            starts, code, sum(status["success"] for status in statuses(output)), len(failed)), flush=True)
    stop.set()
    failed = judge(arguments, output, kills, starts, code, cpu_s, time.monotonic() - begun)
    if arguments.finished and not failed:
        multiply(folder, output, arguments.finished // len(TRACERS))
        failed = bypass(command, output)
    return failed


def batch(folder, output, python):
    return [LAUNCHER, "trace", "--framework", "huggingface", "--model-list", str(folder / "models.txt"), "--tracers", ",".join(TRACERS),
            "--output-dir", str(output), "--python", python, "--device", "cpu"]


def multiply(folder, output, wanted):
    """Copies models, with the times of their files, and results until there are this many."""
    models = sorted((folder / "models").iterdir())
    for number in range(len(models), wanted):
        source = models[number % len(models)]
        model = folder / "models" / ("copy-%04d" % number)
        shutil.copytree(source, model)
        shutil.copytree(output / source.name, output / model.name)
        for path in (output / model.name).glob("*/*/_TRACE_STATUS.json"):
            path.write_text(json.dumps(dict(json.loads(path.read_text()), model_id=str(model)), indent=1))
    (folder / "models.txt").write_text("".join("%s\n" % path for path in sorted((folder / "models").iterdir())))


def bypass(command, output):
    """Prints the cost of the second and later starts, and returns 1 if one of them had work to do."""
    taken = [once(command) for _ in range(BYPASSES + 1)][1:]
    actions = [pair["action"] for pair in json.loads((output / "summary.json").read_text())["pairs"]]
    print("%d finished pairs: wall %.2f s, CPU %.2f s, peak %.0f MiB (medians of %d)" % (
        (len(actions),) + tuple(statistics.median(column) for column in zip(*taken)) + (BYPASSES,)))
    return int(set(actions) != {"bypassed"})


def judge(arguments, output, kills, starts, code, cpu_s, wall_s):
    found = statuses(output)
    wanted = arguments.models * len(TRACERS)
    complete = sum(status["success"] and all((output / pathlib.Path(status["model_id"]).name / status["mode"] / status["tracer"]
                                              / file["path"]).stat().st_size == file["bytes"] for file in status["files"])
                   for status in found)
    left = [str(path) for path in output.rglob(".*.unfinished")]
    print("%d starts, %d kills, %.0f s; %d of %d pairs complete; left behind: %s" % (
        starts, len(kills), wall_s, complete, wanted, left or "nothing"))
    if not kills:
        tracers_s = sum(status["durations_s"]["process_cpu"] for status in found)
        reports_s = sum(status["durations_s"]["report"] for status in found)
        own_s = cpu_s - tracers_s
        running_s = sum(status["durations_s"]["process"] for status in found)
        print("CPU: tracers %.1f s, InferScope %.2f s (%.2f %%). Wall: a tracer running %.1f s, none %.2f s (%.2f %%), of it reports %.2f s" % (
            tracers_s, own_s, 100 * own_s / tracers_s, running_s, wall_s - running_s, 100 * (wall_s - running_s) / running_s, reports_s))
    return 0 if code == 0 and complete == wanted and not left else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--kill-every", type=float, default=60, help="seconds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--python", default="python3")
    parser.add_argument("--jobs", type=int, default=1, help="tracers at once")
    parser.add_argument("--finished", type=int, default=0, metavar="PAIRS")
    parser.add_argument("--keep", type=pathlib.Path, help="work in this folder and leave it")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        sys.exit(soak(arguments, arguments.keep.resolve()))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(soak(arguments, pathlib.Path(folder)))
