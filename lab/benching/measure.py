"""Measures what InferScope costs. Prints a table; the numbers of docs/evidence/performance.md come from here.

    lab/bench measure analyze TRACE...     CPU seconds and peak memory of `inferscope analyze`, median of N
    lab/bench measure run -- COMMAND...    a program with and without `inferscope run`, in pairs: slow-down with its
                                         bootstrap upper bound, A/A control, InferScope's own CPU time
    lab/bench measure handler PYTHON       steps of 5 ms under torch.profiler whose windows inferscope.trace_handler() takes, against the same whose
                                         windows PyTorch exports; PYTHON has torch
    lab/bench measure scopes               by how much the times of 20,000 recorded scopes differ from the program's own clock, in Python and in Java

Options: -n N (default 5; 21 or more for a bound). In `run` the places {clock} in COMMAND are replaced by the name of a file into which the program may write
JSON with wall_ns.total, its own clock; else the wall time of the whole command counts.
"""

import argparse
import glob
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

from measuring import LAUNCHER, ROOT, measured, once

RESAMPLES = 10_000
ENOUGH = 21


def analyze(arguments):
    print(measured("lab/bench measure analyze"))
    print("| trace | CPU s | wall s | peak MiB |\n|---|---|---|---|")
    for trace in arguments.rest:
        once([LAUNCHER, "analyze", trace])
        runs = [once([LAUNCHER, "analyze", trace]) for _ in range(arguments.n)]
        wall, cpu, memory = (statistics.median(column) for column in zip(*runs))
        print("| %s | %.2f | %.2f | %.0f |" % (os.path.basename(trace), cpu, wall, memory))


def clocked(prefix, command, folder):
    """Runs once and returns (program seconds by its own clock, whole CPU seconds)."""
    clock = os.path.join(folder, "clock.json")
    if os.path.exists(clock):
        os.unlink(clock)
    wall, cpu, _ = once(prefix + [word.replace("{clock}", clock) for word in command])
    if os.path.exists(clock):
        with open(clock) as file:
            wall = json.load(file)["wall_ns"]["total"] / 1e9
    return wall, cpu


def bound(ratios, seed=4):
    """Returns (geometric mean, its one-sided 95 % upper bound): percentile bootstrap over the pairs, Efron and Tibshirani, ch. 13."""
    logs = [math.log(ratio) for ratio in ratios]
    draw = random.Random(seed)
    means = sorted(statistics.fmean(draw.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    return math.exp(statistics.fmean(logs)), math.exp(means[math.ceil(0.95 * RESAMPLES) - 1])


def own_cost(report):
    """Returns (CPU seconds of all recorders together, {recorder: CPU seconds}, window seconds) as the run's own report says."""
    with open(report) as file:
        said = json.load(file)
    recorders = {}
    for recorder in said["overhead"]["recorders"]:
        recorders[recorder["recorder"]] = recorders.get(recorder["recorder"], 0) + recorder["cpuNs"] / 1e9
    return said["overhead"]["cpuNs"] / 1e9, recorders, window_seconds(said)


def window_seconds(said):
    window = said["window"]
    return (window["endNs"] - window["startNs"]) / 1e9


def run(arguments):
    """Each round runs the command three times, in changing order: without InferScope, without it again (the A/A control) and with
    it, so that a change of the machine's speed affects all equally."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "r.json")
        observe = [LAUNCHER, "run", "--trace", os.path.join(folder, "t.json.gz"), "--report", report, "--"]
        clocked([], arguments.rest, folder)
        clocked(observe, arguments.rest, folder)
        rows, costs = [], []
        for turn in range(arguments.n):
            row = {}
            for what in (("plain", "with", "again"), ("again", "plain", "with"), ("with", "again", "plain"))[turn % 3]:
                row[what] = clocked(observe if what == "with" else [], arguments.rest, folder)
            rows.append(row)
            costs.append(own_cost(report))
    print(measured("lab/bench measure run"))
    print("| ratio over %d pairs | program's time: median [min-max] | geometric mean | 95 %% upper bound | whole CPU: median |" % arguments.n)
    print("|---|---|---|---|---|")
    for label, pick in (("A/A control", "again"), ("with / without InferScope", "with")):
        times = [row[pick][0] / row["plain"][0] for row in rows]
        cpus = [row[pick][1] / row["plain"][1] for row in rows]
        mean, upper = bound(times)
        print(
            "| %s | %.3f [%.3f-%.3f] | %.3f | %.3f | %.3f |"
            % (label, statistics.median(times), min(times), max(times), mean, upper, statistics.median(cpus))
        )
    if arguments.n < ENOUGH:
        print("\nFewer than %d pairs: the bounds are worth little." % ENOUGH)
    whole = statistics.median(cost[0] for cost in costs)
    share = statistics.median(cost[0] / cost[2] for cost in costs)
    parts = ", ".join("%s %.3f s" % (name, statistics.median(cost[1].get(name, 0) for cost in costs)) for name in costs[-1][1])
    print("\nInferScope's own CPU time while it recorded, median: %.3f s, %.1f %% of a core (%s)." % (whole, 100 * share, parts))


PYTHON_SCOPES = """\
import sys, time
from inferscope import scope
now = time.perf_counter_ns
clocked = []
for number in range(int(sys.argv[2])):
    with scope("timed"):
        begin = end = now()
        until = begin + 1000 * (1 + number % 50)
        while end < until:
            end = now()
    clocked.append((begin, end))
with open(sys.argv[1], "w") as file:
    file.writelines("%d %d\\n" % pair for pair in clocked)
"""
JAVA_SCOPES = """\
import io.inferscope.scope.Scope;
import java.nio.file.*;
public class Scopes {
    public static void main(String[] given) throws Exception {
        long[][] clocked = new long[Integer.parseInt(given[1])][2];
        for (int number = 0; number < clocked.length; number++) {
            try (Scope scope = Scope.open("timed")) {
                long begin = System.nanoTime();
                long end = begin;
                while (end < begin + 1000 * (1 + number % 50)) {
                    end = System.nanoTime();
                }
                clocked[number] = new long[] {begin, end};
            }
        }
        StringBuilder text = new StringBuilder();
        for (long[] pair : clocked) {
            text.append(pair[0]).append(' ').append(pair[1]).append('\\n');
        }
        Files.writeString(Path.of(given[0]), text);
    }
}
"""
SCOPES = 20_000


def scopes(arguments):
    """Each scope holds a program's own clock at its begin and its end. A recorded scope is longer by the time between the two clocks' readings; the
    variation of that time is the jitter."""
    once([LAUNCHER, "--version"])  # Builds what is measured.
    built = os.path.join(os.path.dirname(LAUNCHER), "..", "inferscope-cli", "target", "quick", "inferscope", "lib", "inferscope-scope-*.jar")
    library = max(glob.glob(built), key=os.path.getmtime)
    print(measured("lab/bench measure scopes"))
    print("| language | scopes | longer by: median | 99 % | 99.9 % | most | begin off by: median | 99 % | 99.9 % | most |\n" + "|---" * 10 + "|")
    with tempfile.TemporaryDirectory() as folder:
        clock, trace = os.path.join(folder, "clock"), os.path.join(folder, "t.json.gz")
        for language, name, source, command in (
            ("Python", "scopes.py", PYTHON_SCOPES, [sys.executable]),
            ("Java", "Scopes.java", JAVA_SCOPES, ["java", "-cp", library]),
        ):
            program = os.path.join(folder, name)
            with open(program, "w") as file:
                file.write(source)
            once([LAUNCHER, "run", "--report", os.path.join(folder, "r.md"), "--trace", trace, "--", *command, program, clock, str(SCOPES)])
            rows = subprocess.run(
                [LAUNCHER, "query", "--format", "csv", trace, "SELECT start_ns, duration_ns FROM events WHERE name = 'timed' ORDER BY start_ns"],
                check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()[1:]
            recorded = [tuple(map(int, row.split(","))) for row in rows]
            with open(clock) as file:
                clocked = [tuple(map(int, line.split())) for line in file]
            if len(recorded) != len(clocked):
                raise SystemExit("measure: %d scopes were opened in %s and %d recorded" % (len(clocked), language, len(recorded)))
            longer = [duration - (end - begin) for (_, duration), (begin, end) in zip(recorded, clocked)]
            ahead = [begin - start for (start, _), (begin, _) in zip(recorded, clocked)]
            usual = statistics.median(ahead)
            off = [abs(one - usual) for one in ahead]
            print("| %s | %d | %s |" % (language, len(recorded), " | ".join(spread(longer) + spread(off))))


HANDLER = """\
import json, sys, tempfile, time
import inferscope, torch
from torch.profiler import ProfilerActivity, profile, schedule
torch.set_num_threads(1)
kind, clock, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
folder = tempfile.TemporaryDirectory()
model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(20)])
given = torch.ones(32, 256)
def work(calls):
    with torch.no_grad():
        for _ in range(calls):
            model(given)
def timed(calls):
    begin = time.perf_counter_ns()
    work(calls)
    return time.perf_counter_ns() - begin
work(20)
calls = max(1, round(5e6 / min(timed(1) for _ in range(50))))
exported = lambda prof: prof.export_chrome_trace(f"{folder.name}/{prof.step_num}.json")
handler = inferscope.trace_handler(on_report=lambda report: None) if kind == "handler" else exported
begin = time.perf_counter_ns()
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=190, warmup=2, active=8), on_trace_ready=handler) as prof:
    for _ in range(steps):
        work(calls)
        prof.step()
total = time.perf_counter_ns() - begin
reports = len(handler.wait()) if kind == "handler" else steps // 200
assert reports == steps // 200, reports
json.dump({"wall_ns": {"total": total / calls}}, open(clock, "w"))
"""
HANDLER_STEPS = 1000


def handler(arguments):
    """Each round runs the loop three times, in changing order: with PyTorch's export, with it again (the A/A control), and with the handler."""
    with tempfile.TemporaryDirectory() as folder:
        program, clock = os.path.join(folder, "steps.py"), os.path.join(folder, "clock")
        with open(program, "w") as file:
            file.write(HANDLER)
        os.environ["PYTHONPATH"] = str(ROOT / "python")
        rows = []
        for turn in range(arguments.n + 1):
            row = {}
            for what in (("export", "handler", "again"), ("again", "export", "handler"), ("handler", "again", "export"))[turn % 3]:
                row[what], _ = clocked([], [*arguments.rest, program, what, "{clock}", str(HANDLER_STEPS)], folder)
            rows.append(row)
    print(measured("lab/bench measure handler"))
    print("| ratio over %d pairs of %d steps, 5 windows each | median [min-max] | geometric mean | 95 %% upper bound |" % (arguments.n, HANDLER_STEPS))
    print("|---|---|---|---|")
    # The handler against both runs beside it: the mean of two differs less by chance than one.
    for label, ratio in (("A/A control", lambda row: row["again"] / row["export"]),
                         ("trace_handler / export_chrome_trace", lambda row: 2 * row["handler"] / (row["export"] + row["again"]))):
        ratios = [ratio(row) for row in rows[1:]]  # The first round fills the caches.
        print("| %s | %.3f [%.3f-%.3f] | %.3f | %.3f |" % (label, statistics.median(ratios), min(ratios), max(ratios), *bound(ratios)))


def spread(values):
    ordered = sorted(values)
    return ["%.1f us" % (ordered[min(len(ordered) - 1, int(part * len(ordered)))] / 1000) for part in (0.5, 0.99, 0.999, 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("analyze", "run", "handler", "scopes"))
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("rest", nargs="*", metavar="TRACE")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_intermixed_args(words[:split])
    arguments.rest += words[split + 1 :]
    if not arguments.rest and arguments.what != "scopes":
        parser.error("nothing to measure")
    {"analyze": analyze, "run": run, "handler": handler, "scopes": scopes}[arguments.what](arguments)
