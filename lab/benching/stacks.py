"""Compares the cost of sampling Python stacks by InferScope and by py-spy, in turns on one program.

A program with three busy Python threads runs all the time and counts its work. Each round has these phases: nothing, InferScope, nothing, py-spy,
nothing. The two phases of nothing between rounds are the A/A control. A tool's cost is the CPU time of its whole process after its warm-up, read from
outside; InferScope's includes its JVM. The target's speed is its count per second and per second of its own CPU time, compared with the quiet phases
before and after. A tool that takes fewer samples than requested costs less, so the number of samples and the cost per sample are printed too.

    lab/bench stacks [--rounds N] [--rates 100,1000] [--phase S] [--warm-up S] [--py-spy PATH] [--python PATH] [--baseline LAUNCHER] [--native]

--baseline measures another build of InferScope in the same turns: PATH/scripts/inferscope of its checkout. For both, the
CPU time by thread is printed too; that of threads that ended meanwhile is only in the total.

Needs permission to read the program's memory, for both tools. Other load on the machine hardly changes CPU times, but it changes wall times.
"""

import argparse
import json
import mmap
import os
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from measuring import LAUNCHER

LEAST_SHOWN_CORES = 0.0001

TARGET = '''
import mmap, struct, sys, threading
file = open(sys.argv[1], "r+b")
counts = mmap.mmap(file.fileno(), 24)

def parse(text):
    return [int(word) for word in text.split()]

def numbers(n):
    for i in range(n):
        yield i * i

class Model:
    def step(self, n):
        return self.layer(n) + self.layer(n + 1)

    def layer(self, n):
        return sum(numbers(n))

def work(slot):
    model, text, done = Model(), " ".join(str(i) for i in range(300)), 0
    while True:
        model.step(100 + slot)
        sorted(parse(text), key=lambda value: -value)
        done += 1
        struct.pack_into("<q", counts, slot * 8, done)

for slot in range(3):
    threading.Thread(target=work, args=(slot,)).start()
'''


def cpu_seconds(pid):
    """CPU time of all threads of a process, by its CPU clock (clock_getcpuclockid(3))."""
    return time.clock_gettime(~pid << 3 | 2)


def threads_cpu_ns(pid):
    """CPU time in ns of each thread of a process by (id, name), from schedstat (proc(5))."""
    found = {}
    folder = "/proc/%d/task" % pid
    for tid in os.listdir(folder):
        try:
            with open("%s/%s/schedstat" % (folder, tid), encoding="ascii") as counts, open("%s/%s/comm" % (folder, tid), encoding="utf-8") as name:
                found[tid, name.read().strip()] = int(counts.read().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass  # It has ended.
    return found


class Target:
    """The observed program, and what it has counted."""

    def __init__(self, python, folder):
        path = os.path.join(folder, "counts")
        with open(path, "wb") as counts:
            counts.write(bytes(24))
        script = os.path.join(folder, "target.py")
        with open(script, "w", encoding="utf-8") as text:
            text.write(TARGET)
        with open(path, "r+b") as counts:
            self.counts = mmap.mmap(counts.fileno(), 24)
        self.process = subprocess.Popen([python, script, path])
        # On one core, because threads that pass the GIL between cores do more work when other cores are busy, which would look like a speed-up.
        os.sched_setaffinity(self.process.pid, {min(os.sched_getaffinity(0))})

    def done(self):
        return sum(struct.unpack("<3q", self.counts[:24]))


def speeds(target, seconds):
    """Returns the target's work per second, and per second of its CPU time."""
    before, cpu, start = target.done(), cpu_seconds(target.process.pid), time.monotonic()
    time.sleep(seconds)
    done = target.done() - before
    return done / (time.monotonic() - start), done / (cpu_seconds(target.process.pid) - cpu)


def samples_a_second(tool, options, rate, folder, wall):
    """The samples per second that a tool took. InferScope's report contains the mean time between two samples; py-spy takes the requested number,
    however long that lasts."""
    if tool == "py-spy":
        return min(rate, rate * whole_seconds(options) / wall)
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as report:
        reasons = " ".join(entry.get("why") or "" for entry in json.load(report)["coverage"])
    return 1000 / float(re.search(r"sampled every ([\d.]+) ms", reasons).group(1))


def observed(command, target, warm_up, seconds):
    """Returns the tool's CPU seconds per second after its warm-up, total and by thread name, its total CPU seconds, the seconds that it ran, and the
    target's speeds."""
    born = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(warm_up)
    threads, cpu, start = threads_cpu_ns(process.pid), cpu_seconds(process.pid), time.monotonic()
    speed = speeds(target, seconds)
    wall = time.monotonic() - start
    steady = (cpu_seconds(process.pid) - cpu) / wall
    by_thread = {}
    for thread, cpu_ns in threads_cpu_ns(process.pid).items():
        by_thread[thread[1]] = by_thread.get(thread[1], 0) + (cpu_ns - threads.get(thread, 0)) / 1e9 / wall
    if process.poll() is not None:
        raise SystemExit("%s ended early with %d" % (command[0], process.returncode))
    _, _, usage = os.wait4(process.pid, 0)
    return steady, by_thread, usage.ru_utime + usage.ru_stime, time.monotonic() - born, speed


def whole_seconds(options):
    return options.warm_up + options.phase + 2


def tools(options, pid, rate, folder):
    total = str(whole_seconds(options))
    arguments = ["attach", str(pid), "--duration", total + "s", "--sample-rate", str(rate),
                 "--report", os.path.join(folder, "report.json"), "--trace", os.path.join(folder, "trace.json.gz")]
    arguments += [] if options.native else ["--no-native"]
    found = {"inferscope": [LAUNCHER] + arguments}
    if options.baseline:
        found["baseline"] = [options.baseline] + arguments
    if options.py_spy:
        found["py-spy"] = [options.py_spy, "record", "--pid", str(pid), "--rate", str(rate), "--duration", total, "--format", "raw",
                           "--output", os.path.join(folder, "py-spy.txt")] + (["--native"] if options.native else [])
    return found


def slowdown(quiet, looked_at):
    return tuple(a / b for a, b in zip(quiet, looked_at))


def spread(values):
    return "%.4f [%.4f, %.4f]" % (statistics.median(values), min(values), max(values))


def print_threads(tool, phases):
    """Prints each thread's median over the phases, the largest first, and the sum of the smallest."""
    medians = {name: statistics.median(phase.get(name, 0) for phase in phases) for name in set().union(*phases)}
    shown = sorted((name for name in medians if medians[name] >= LEAST_SHOWN_CORES), key=lambda name: -medians[name])
    rest = sum(medians.values()) - sum(medians[name] for name in shown)
    print("  %s by thread, cores: %s, others %.5f" % (tool, ", ".join("%s %.5f" % (name, medians[name]) for name in shown), rest))


def compare(options, target, rate, folder):
    steady, by_thread, whole, taken, slow = {}, {}, {}, {}, {"A/A": []}
    for _ in range(options.rounds):
        slow["A/A"].append(slowdown(speeds(target, options.phase), speeds(target, options.phase)))
        for name, command in tools(options, target.process.pid, rate, folder).items():
            before = speeds(target, options.phase)
            cores, threads, cpu, wall, speed = observed(command, target, options.warm_up, options.phase)
            after = speeds(target, options.phase)
            steady.setdefault(name, []).append(cores)
            by_thread.setdefault(name, []).append(threads)
            whole.setdefault(name, []).append(cpu)
            taken.setdefault(name, []).append(samples_a_second(name, options, rate, folder, wall))
            slow.setdefault(name, []).append(slowdown([sum(pair) / 2 for pair in zip(before, after)], speed))
    print("%d Hz, %d rounds of %d s behind %d s of warm-up; median [least, most]" % (rate, options.rounds, options.phase, options.warm_up))
    for name, cores in steady.items():
        print("  %-10s  cores while sampling %s   CPU s in all, start and report included %s" % (name, spread(cores), spread(whole[name])))
        print("  %-10s  samples a second %s" % (name, spread(taken[name])))
    for other in [name for name in steady if name != "inferscope"]:
        ratios = [ours / theirs for ours, theirs in zip(steady["inferscope"], steady[other])]
        print("  inferscope / %s, cores while sampling: %s" % (other, spread(ratios)))
        each = [ratio * theirs / ours for ratio, ours, theirs in zip(ratios, taken["inferscope"], taken[other])]
        print("  inferscope / %s, for each sample taken: %s" % (other, spread(each)))
    for name in [name for name in steady if name != "py-spy"]:
        print_threads(name, by_thread[name])
    for name, values in slow.items():
        wall, cpu = zip(*values)
        print("  the target's time, times: %-10s wall %s   CPU %s" % (name, spread(wall), spread(cpu)))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rates", default="100,1000")
    parser.add_argument("--phase", type=int, default=15)
    parser.add_argument("--warm-up", type=int, default=15)
    parser.add_argument("--py-spy", default=shutil.which("py-spy"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--baseline", metavar="LAUNCHER")
    parser.add_argument("--native", action="store_true", help="with native stacks, by both")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        target = Target(options.python, folder)
        try:
            time.sleep(2)
            for rate in options.rates.split(","):
                compare(options, target, int(rate), folder)
        finally:
            target.process.send_signal(signal.SIGKILL)
