"""Compares the shares of functions that InferScope and py-spy find in the same run of a program with the program's own measurement.

    lab/compare stacks [--seconds S] [--rate HZ] [--py-spy PATH] [--python PATH]

Ends with 1 when a share differs from py-spy's by more than sampling explains, or from the program's clock by more than two points.
Sampling puts the end of a function's turn half-way between two samples, which is wrong by a uniform error of a period's length: variance
period^2 / 12 for each end of each turn. Also, the intervals of the two tools do not begin at the same time, nor with a turn, so each may hold one
turn of a function more or less. The bound is four standard errors of both samples plus this.
py-spy stops the program for a moment at each sample; InferScope does not.
"""

import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import LAUNCHER

SCRIPT = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "inferscope-collectors", "src", "test", "resources", "python", "shares.py")
FUNCTIONS = ("tokenize", "decode", "sleep", "sample")


def shares(folded):
    """Returns the functions' shares of all samples that show one of them."""
    counts = dict.fromkeys(FUNCTIONS, 0)
    with open(folded, encoding="utf-8") as lines:
        for line in lines:
            stack, count = line.rsplit(" ", 1)
            for function in FUNCTIONS:
                if any(function in frame.replace(":", " ").split() for frame in stack.split(";")):
                    counts[function] += int(count)
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()}


def bound(lengths, truth, options):
    """Returns by how much two samples of a function's share may differ by chance, as a fraction of 1.

    lengths: seconds of its turns; truth: its share.
    """
    length = statistics.mean(lengths)
    ends = 2 * options.seconds * truth / length
    of_both = math.sqrt(2 * ends / 12) / options.rate / options.seconds
    return 4 * of_both + 2 * length * (1 - truth) / options.seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--py-spy", default=shutil.which("py-spy"))
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    if not options.py_spy:
        parser.error("py-spy is not on the PATH; name it by --py-spy")
    with tempfile.TemporaryDirectory() as folder:
        target = subprocess.Popen([options.python, SCRIPT, str(options.seconds + 6)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        theirs, trace, ours = (os.path.join(folder, name) for name in ("py-spy.folded", "trace.json.gz", "inferscope.folded"))
        duration, rate = str(options.seconds), str(options.rate)
        tools = [
            subprocess.Popen([options.py_spy, "record", "--idle", "--pid", str(target.pid), "--rate", rate, "--duration", duration,
                              "--format", "raw", "--output", theirs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL),
            subprocess.Popen([LAUNCHER, "attach", str(target.pid), "--duration", duration + "s", "--sample-rate", rate, "--trace", trace,
                              "-o", os.path.join(folder, "report.md")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
        for tool in tools:
            if tool.wait() != 0:
                raise SystemExit("%s ended with %d" % (tool.args[0], tool.returncode))
        said = []
        for line in target.stdout:
            if line.strip() == "ready":
                break
            said.append(line.strip().split("\x1f"))
        target.stdin.close()
        target.wait()
        subprocess.run([LAUNCHER, "convert", trace, "-o", ours], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        turns = {}
        for _, name, *instants in said:
            turns[name] = [(int(end) - int(start)) / 1e9 for start, end in zip(instants[::2], instants[1::2])]
        spy, own = shares(theirs), shares(ours)
    wrong = False
    print("%-10s %9s %12s %9s   bound" % ("function", "clock %", "InferScope %", "py-spy %"))
    for name in FUNCTIONS:
        truth = sum(turns[name]) / sum(map(sum, turns.values()))
        error = bound(turns[name], truth, options)
        print("%-10s %9.2f %12.2f %9.2f   %.2f" % (name, 100 * truth, 100 * own[name], 100 * spy[name], 100 * error))
        wrong |= abs(own[name] - spy[name]) > error or abs(own[name] - truth) > 0.02
    sys.exit(1 if wrong else 0)
