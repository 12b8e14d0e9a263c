"""Compares the costs of this tree with those of another commit, and fails if a measure became worse by more than 3 % beyond its interval.

    lab/bench guard [BASE] [--quick] [--only NAMES] [--rounds N] [--bisect]

BASE is any revision; without one, the last release, else the first one that a table of docs/evidence/performance.md names. Each round runs base, base
again (the A/A control) and this tree, in changing order. A measure is worse if the low end of the 95 % interval of its median ratio is above 1.03
after the difference between the two runs of base is allowed for. A measure that is not worse is not judged if the two runs of base differ by as much;
the last line counts these.

    analyze   files of 1, 34, 111 and 1000 MB: CPU seconds, peak MiB, MiB allocated
    start     CPU seconds of `--version`, which the launcher answers, and of `config show`, which starts a JVM
    run       a program of two threads under `run`: recorders' CPU us per event, CPU seconds of its scopes, CPU seconds to import its spools

Exit code: 1 if a measure is worse, 3 if none could be judged, else 0.

    --quick         1, 34 and 111 MB and the start, five rounds: some minutes
    --only NAMES    of 1,34,111,1000,start,run
    --rounds N      at least 5 (default 7)
    --bisect        names the commit with which each worse measure became so, by building commits in between
    --cache DIR     builds, by commit, and traces (default target/bench-guard)
    --traces DIR    the real traces (default ../shared/traces/kineto)
"""

import argparse
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from guarding import LOG, allocated_mib, first_worse, judge, unjudged
from large_traces import trace
from measuring import Builds, CommandFailed, git, measured, once

ROOT = pathlib.Path(__file__).resolve().parents[2]
GIVEN = {"1": "h100-nsfw-vit.json.gz", "34": "a100-trace-diff-control.json.gz"}
REPEATED = ["b200-eager.json.gz", "b200-eager.json.gz", "h100-timesformer.json.gz"]
NAMES = ["1", "34", "111", "1000", "start", "run"]
# Fewer rounds are enough, because allocation hardly differs between rounds.
ALLOCATION_ROUNDS = 3
UNJUDGED = 3
PROGRAM = """\
import json, sys, threading, time
from inferscope import scope
end = [False]
def work():
    while not end[0]:
        sum(range(1000))
threading.Thread(target=work).start()
begin = time.thread_time()
for number in range(200_000):
    with scope("timed"):
        pass
taken = time.thread_time() - begin
while time.process_time() < 5:
    sum(range(1000))
end[0] = True
with open(sys.argv[1], "w") as file:
    json.dump(taken, file)
"""


class Rounds:
    """Calls a measurement for base, base again and this, in changing order."""

    def __init__(self, base, this, count):
        self.launchers, self.count = {"base": base, "again": base, "this": this}, count

    def of(self, measure, count=None):
        """Returns a list of rounds (base, again, this) for each figure that measure(launcher) returns, after a call that does not count."""
        for launcher in dict.fromkeys(self.launchers.values()):
            measure(launcher)
        rounds = []
        for number in range(count or self.count):
            order = list(self.launchers)
            order = order[number % 3:] + order[: number % 3]
            found = {name: measure(self.launchers[name]) for name in order}
            rounds.append([found[name] for name in ("base", "again", "this")])
        return by_figure(rounds)


def by_figure(rounds):
    """[[figures of base, of again, of this], ...] as a list per figure of (base, again, this)."""
    return [[tuple(who[figure] for who in one) for one in rounds] for figure in range(len(rounds[0][0]))]


def allocated(launcher, path, folder):
    log = os.path.join(folder, "gc.log")
    options = "-Xlog:%s:file=%s" % (LOG, log)
    subprocess.run([launcher, "analyze", path], env=dict(os.environ, INFERSCOPE_JAVA_OPTS=options), check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with open(log, encoding="utf-8") as file:
        return (allocated_mib(file.read()),)


def measure_run(launcher, folder):
    """Recorders' CPU us per event, and CPU seconds of the program's scopes."""
    program, clock, report = (os.path.join(folder, name) for name in ("program.py", "clock.json", "report.json"))
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    once([launcher, "run", "--trace", os.path.join(folder, "t.json.gz"), "--report", report, "--", sys.executable, program, clock], folder)
    with open(report, encoding="utf-8") as file:
        recorders = json.load(file)["overhead"]["recorders"]
    with open(clock, encoding="utf-8") as file:
        scopes_s = json.load(file)
    outside = [one for one in recorders if one["cpuNs"] and "probe" not in one["recorder"]]
    return sum(one["cpuNs"] for one in outside) / 1000 / max(1, sum(one["events"] for one in outside)), scopes_s


def spools(launcher, folder):
    """The folder of spools that a run leaves."""
    program = os.path.join(folder, "program.py")
    once([launcher, "run", "--keep-spool", "--trace", os.path.join(folder, "kept.json.gz"), "--report", os.path.join(folder, "kept.json"), "--",
          sys.executable, program, os.path.join(folder, "clock.json")], folder)
    kept = [path for path in glob.glob(os.path.join(folder, "**"), recursive=True) if glob.glob(os.path.join(path, "*.spool"))]
    if not kept:
        raise SystemExit("bench guard: the run kept no spools in %s" % folder)
    return kept[0]


def measures(name, rounds, folder, arguments):
    """Yields (measure, rounds) of a name of NAMES."""
    if name == "start":
        for command in (["--version"], ["config", "show"]):
            yield " ".join(command) + ", CPU s", rounds.of(lambda launcher: (once([launcher] + command)[1],), 3 * rounds.count)[0]
    elif name == "run":
        per_event, scopes = rounds.of(lambda launcher: measure_run(launcher, folder))
        yield "run: recorders' CPU us per event", per_event
        yield "run: scopes, CPU s", scopes
        kept = spools(rounds.launchers["base"], folder)
        yield "run: import of spools, CPU s", rounds.of(lambda launcher: (once([launcher, "analyze", kept])[1],))[0]
    else:
        path = str(arguments.traces / GIVEN[name]) if name in GIVEN else trace(
            [str(arguments.traces / one) for one in REPEATED], str(arguments.cache / "traces"), name + "MB", most_bytes=int(name) * 10**6)[0] + ".json"
        cpu, peak = rounds.of(lambda launcher: once([launcher, "analyze", path])[1:])
        yield name + " MB, CPU s", cpu
        yield name + " MB, peak MiB", peak
        yield name + " MB, allocated MiB", rounds.of(lambda launcher: allocated(launcher, path, folder), ALLOCATION_ROUNDS)[0]


def culprit(judged, name, base, builds, arguments):
    """The commit with which a measure became worse, of those that touch what is built."""
    commits = git("rev-list", "--reverse", "--first-parent", base + "..HEAD", "--", "pom.xml", "*/pom.xml", "*/src/main", "native", "python/inferscope",
                  "scripts/inferscope").split()
    if not commits:
        return "what is not committed"
    launcher = builds.launcher(base)

    def ratio_of(commit):
        try:
            rounds = Rounds(launcher, builds.launcher(commit), arguments.rounds)
            with tempfile.TemporaryDirectory() as folder:
                found = [judge(measure, one) for measure, one in measures(name, rounds, folder, arguments) if measure == judged.measure][0]
        except (CommandFailed, subprocess.CalledProcessError):
            return 1.0  # It does not build or run, so it is not the commit that made the measure worse.
        print("  %s %.3f" % (commit[:12], found.ratio[0]), file=sys.stderr)
        return found.ratio[0]

    return git("log", "-1", "--format=%h %s", first_worse(commits, ratio_of, judged.ratio[0]))


def default_base():
    found = subprocess.run(["git", "-C", str(ROOT), "describe", "--tags", "--abbrev=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if found.returncode == 0:
        return found.stdout.strip()
    for commit in re.findall(r"<!-- measured: .* at ([0-9a-f]{8,}) ", (ROOT / "docs/evidence/performance.md").read_text(encoding="utf-8")):
        if subprocess.run(["git", "-C", str(ROOT), "cat-file", "-e", commit + "^{commit}"], stderr=subprocess.DEVNULL).returncode == 0:
            return commit
    print("bench guard: there is neither a release nor a measured commit to compare with", file=sys.stderr)
    sys.exit(UNJUDGED)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--bisect", action="store_true")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "target/bench-guard")
    parser.add_argument("--traces", type=pathlib.Path, default=ROOT.parent / "shared/traces/kineto")
    arguments = parser.parse_args()
    names = arguments.only or (["1", "34", "111", "start"] if arguments.quick else NAMES)
    if not set(names) <= set(NAMES):
        parser.error("--only takes %s" % ",".join(NAMES))
    if not arguments.traces.is_dir():
        parser.error("there are no traces in %s" % arguments.traces)
    arguments.rounds = max(5, arguments.rounds or (5 if arguments.quick else 7))
    arguments.cache, arguments.traces = arguments.cache.resolve(), arguments.traces.resolve()
    builds, base = Builds(arguments.cache), arguments.base or default_base()
    rounds = Rounds(builds.launcher(base), builds.this(), arguments.rounds)
    print("base %s, this %s" % (git("log", "-1", "--format=%h of %cs", base), git("describe", "--always", "--dirty")))
    print("\n" + measured("lab/bench guard %s" % (arguments.base or "")))
    print("| measure | base | this | ratio, median within | A/A control | |\n|---|---|---|---|---|---|", flush=True)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for measure, values in measures(name, rounds, folder, arguments):
                one = judge(measure, values)
                found.append((one, name))
                print("| %s | %.3g | %.3g | %.3f within %.3f-%.3f | %.3f within %.3f-%.3f | %s |" % (
                    one.measure, one.base, one.this, *one.ratio, *one.control, one.outcome), flush=True)
    worse = [(one, name) for one, name in found if one.outcome == "worse"]
    for one, name in worse:
        words = "%s became %.1f %% worse" % (one.measure, 100 * (one.ratio[0] - 1))
        if arguments.bisect:
            words += " with " + culprit(one, name, base, builds, arguments)
        print(words, flush=True)
    left = unjudged([one for one, _ in found])
    if left:
        print(left, flush=True)
    if worse:
        sys.exit(1)
    sys.exit(UNJUDGED if all(one.outcome == "unjudged" for one, _ in found) else 0)
