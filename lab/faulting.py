"""`scripts/zoo --faults`: the programs of examples/faults under `inferscope run` or `attach`, compared with their own clocks.

They record no scopes, as most programs: InferScope has to find the loop, the line and its cost. A row of the table says

    cause   the first finding names the function, and its largest class is one of those that the program declares
    place   the function is the first place of the first finding, or of any
    points  the share of the first finding that names it, less that of the program's own clock in the judged part
    off     what the report says of the program without its fault: nothing above information is right, but for what the program declares
    claimed what is claimed for that finding, of the judged part
    saved   by how much less time a step takes without the fault, apart from being ready without a CPU, in one run without
            InferScope that has the fault in every other turn: two runs minutes apart may see a machine of another speed

Findings about CPUs that other programs took do not count. With --no-probe and --attach the programs run with their fault only.
"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import time

POINTS = 0.05
ATTACH_S, LONGER = 6, 3
TURN_MS, TURNS_S = 400, 16


def load_zoo():
    loader = importlib.machinery.SourceFileLoader("zoo_script", str(pathlib.Path(__file__).resolve().parents[1] / "scripts/zoo"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("zoo_script", loader))
    loader.exec_module(module)
    return module


zoo = load_zoo()


def main(names, folder, options):
    """Prints the table; returns the exit code: 1 if a place is missing or a healthy program has a finding."""
    print("%-22s %-5s %-9s %6s %6s %6s  %-22s %-8s %-16s %s" % ("program", "cause", "place", "truth", "report", "points", "rule", "off", "claimed", "saved"))
    rows = [row for row in (judge(name, folder, options) for name in names) if row]
    count = len(rows)
    print("cause %d of %d, place %d, share within %d points %d, healthy without a finding %d%s" % (
        sum(row["cause"] for row in rows), count, sum(row["place"] != "-" for row in rows), 100 * POINTS, sum(row["close"] for row in rows),
        sum(row["off"] == "clean" for row in rows), gains(rows)))
    return 0 if rows and all(row["place"] != "-" and row["off"] in ("", "clean") for row in rows) else 1


def gains(rows):
    claimed = [row["inside"] for row in rows if row["inside"] is not None]
    return ", claimed gains that hold %d of %d" % (sum(claimed), len(claimed)) if claimed else ""


def judge(name, folder, options):
    try:
        truth, report = observe(name, folder / "on", "on", options)
        both = not options.attach and not options.no_probe
        healthy = observe(name, folder / "off", "off", options)[1] if both else None
        turns = alternate(name, folder / "turns", options) if both else []
    except zoo.Failed as error:
        print("%-22s FAIL %s" % (name, error), flush=True)
        return None
    planted, part = truth["planted"], report["judged"]
    findings = loud(report)
    functions = [planted["function"], *planted["also"]]
    named = [one for one in findings if any(zoo.is_in(zoo.first_place(one), dict(planted, function=name)) for name in functions)]
    first = named[0] if named else None
    share = clocked(planted["spans"], part)
    if first and leaves_out_queueing(first):
        share *= 1 - truth["steady_queued_ns"] / truth["steady_ns"]
    reported = part_share(first, report) if first else 0.0
    row = {"cause": bool(first) and first is findings[0] and first["causes"] and first["causes"][0] in planted["causes"],
           "place": "-" if not first else "first" if first is findings[0] else "finding %d" % (findings.index(first) + 1),
           "close": bool(first) and abs(reported - share) <= POINTS, "off": off(healthy, planted.get("besides", ())) if healthy else ""}
    claimed, saved, row["inside"] = gain(first, report, turns)
    print("%-22s %-5s %-9s %5.1f%% %5.1f%% %+6.1f  %-22s %-8s %-16s %s" % (
        name, "yes" if row["cause"] else "no", row["place"], 100 * share, 100 * reported, 100 * (reported - share), first["rule"] if first else
        (findings[0]["rule"] if findings else "-"), row["off"], claimed, saved), flush=True)
    return row


def observe(name, folder, plant, options):
    """Returns the program's truth and the report."""
    folder.mkdir(parents=True, exist_ok=True)
    truth, report, trace, ready = (folder / (name + end) for end in (".truth.json", ".report.json", ".trace.json.gz", ".ready"))
    if not options.recorded:
        for file in (truth, report, ready):
            file.unlink(missing_ok=True)
        seconds = options.seconds * LONGER if options.attach else options.seconds
        program = [options.python, str(zoo.FAULTS / (name + ".py")), "--seconds", str(seconds), "--plant", plant]
        environment = dict(os.environ, ZOO_TRUTH=str(truth), ZOO_UNMARKED="1", ZOO_READY=str(ready), PYTHONPATH=str(zoo.ZOO), TMPDIR=str(folder),
                           PYTHONDONTWRITEBYTECODE="1")
        outputs = ["-o", str(report), "--trace", str(trace)]
        with open(folder / (name + ".log"), "w", encoding="utf-8") as log:
            if options.attach:
                attach(program, environment, outputs, ready, log, options)
            else:
                command = [options.inferscope, "run", *outputs] + (["--no-probe"] if options.no_probe else []) + ["--", *program]
                subprocess.run(command, env=environment, cwd=folder, stdout=log, stderr=log, timeout=zoo.TIME_LIMIT_S)
    elif trace.exists():
        subprocess.run([options.inferscope, "analyze", str(trace), "-o", str(report)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    if not report.exists() or not truth.exists():
        raise zoo.Failed("see %s" % (folder / (name + ".log")))
    read = json.loads(report.read_text(encoding="utf-8"))
    if zoo.measuring.contradictions(read):
        raise zoo.Failed("; ".join(zoo.measuring.contradictions(read)))
    return json.loads(truth.read_text(encoding="utf-8")), read


def attach(program, environment, outputs, ready, log, options):
    process = subprocess.Popen(program, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        deadline = time.monotonic() + zoo.TIME_LIMIT_S
        while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        subprocess.run([options.inferscope, "attach", str(process.pid), "--duration", "%ds" % ATTACH_S, *outputs], stdout=log, stderr=log,
                       timeout=zoo.TIME_LIMIT_S)
        process.wait(zoo.TIME_LIMIT_S)
    finally:
        zoo.kill_group(process)


def loud(report):
    """The findings above information, most important first, without those about CPUs that other programs took; then the others."""
    kept = [one for one in report["findings"] if one["causes"] != [zoo.QUEUE]]
    return sorted(kept, key=lambda one: one["severity"] not in ("warning", "critical"))


def off(report, besides):
    names = [one["rule"] for one in loud(report) if one["severity"] in ("warning", "critical") and one["rule"] not in besides]
    return ",".join(names) or "clean"


def leaves_out_queueing(finding):
    """Whether time without a CPU is no part of a finding's cost: one about other classes leaves it out."""
    return finding["rule"] != "costly-place" and zoo.QUEUE not in finding["causes"]


def clocked(spans, part):
    """The share of the program's own clock in a part."""
    return sum(max(0, min(end, part["endNs"]) - max(start, part["startNs"])) for start, end in spans) / (part["endNs"] - part["startNs"])


def part_share(finding, report):
    part = report["judged"]
    same = finding["of"] == report["ledgers"][0]["part"] or finding["share"] * (part["endNs"] - part["startNs"]) == finding["costNs"]
    return finding["share"] if same else finding["costNs"] / (part["endNs"] - part["startNs"])


def alternate(name, folder, options):
    """Returns the turns of a run without InferScope, with and without the fault by turns."""
    return alternated(name, zoo.FAULTS, folder, options, ZOO_UNMARKED="1")["turns"]


def alternated(name, programs, folder, options, **variables):
    """Returns the truth of such a run."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = folder / (name + ".turns.json")
    if not options.recorded:
        truth.unlink(missing_ok=True)
        program = [options.python, str(programs / (name + ".py")), "--seconds", str(TURNS_S)]
        environment = dict(os.environ, ZOO_TRUTH=str(truth), ZOO_TURN_MS=str(TURN_MS), ZOO_ALTERNATE="1", PYTHONPATH=str(zoo.ZOO),
                           TMPDIR=str(folder), PYTHONDONTWRITEBYTECODE="1", **variables)
        with open(folder / (name + ".log"), "w", encoding="utf-8") as log:
            subprocess.run(program, env=environment, cwd=folder, stdout=log, stderr=log, timeout=zoo.TIME_LIMIT_S)
    if not truth.exists():
        raise zoo.Failed("see %s" % (folder / (name + ".log")))
    return json.loads(truth.read_text(encoding="utf-8"))


def saved_share(turns, queueing_counts=False):
    """By how much shorter a step is in the turns without the fault. Sums, as a turn may hold a step or two."""
    on, off = (sum(zoo.own_step_ns(turn, queueing_counts) * turn["steps"] for turn in turns if turn["planted"] == planted)
               / sum(turn["steps"] for turn in turns if turn["planted"] == planted) for planted in (True, False))
    return 1 - off / on


def gain(first, report, turns):
    """What is claimed, what is saved, and whether the claim holds; None without a claim or without turns. Both are shares of the time with a CPU,
    unless the finding counts time without one."""
    if not turns:
        return "", "", None
    queueing_counts = bool(first) and zoo.QUEUE in first["causes"]
    saved = saved_share(turns, queueing_counts)
    if not first or not first["gain"]:
        return "none", "%.1f %%" % (100 * saved), None
    served = 1 if queueing_counts else zoo.served({"judged": report["ledgers"][0]})
    length = (report["judged"]["endNs"] - report["judged"]["startNs"]) * served
    low, high = first["gain"]["lowNs"] / length, first["gain"]["highNs"] / length
    return "%.1f .. %.1f %%" % (100 * low, 100 * high), "%.1f %%" % (100 * saved), low <= saved <= high
