"""Measures what it costs to explain large traces, and what other tools cost if they are named. Prints Markdown tables for docs/evidence/performance.md.

    lab/bench ingest TRACE... [-n N] [--mb SIZES] [--series] [--peer NAME='COMMAND {trace}']...

The large traces are made from the given Kineto traces (.json or .json.gz): their events are repeated, one whole copy after another, with
times, correlation ids, Python ids and event numbers moved so that copies do not collide. A TRACE that is named twice is repeated twice as often. The large
traces are kept, as .json and .json.gz, in the folder --cache, where a run with the same arguments finds them.

    -n N            runs of each command, in turns, after one that is not counted; medians are printed (default 5)
    --given         also the given traces as they are
    --mb SIZES      sizes of the traces in 10^6 bytes of JSON (default 111,1000; 0 for none). Below the size of the first TRACE, only its first events
                    are used, often without any device work
    --series        also 10^5 to 10^7 events: CPU time per event (needs 5 GB of disk and some minutes)
    --peer          another command to run on every trace; {trace} becomes the file's name. May be repeated. A command that fails on a trace has no
                    row for it
    --suffix S      .json, .json.gz or both (default .json,.json.gz)
    --cache DIR     (default ${TMPDIR:-/tmp}/inferscope-bench)
"""

import argparse
import os
import shlex
import statistics
import sys
import tempfile

from large_traces import trace
from measuring import LAUNCHER, CommandFailed, measured, once

def commands(arguments, path):
    """Returns the commands to compare, by name; InferScope is the first."""
    result = {"InferScope": [LAUNCHER, "analyze", path]}
    for peer in arguments.peer:
        name, _, command = peer.partition("=")
        result[name] = [word.replace("{trace}", path) for word in shlex.split(command)]
    return result


def medians(compared, runs):
    """Runs the commands in turns; returns the median wall s, CPU s and peak MiB of each command whose first run does not fail."""
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name, command in compared.items():
            try:
                once(command, folder)
                found[name] = []
            except CommandFailed as failure:
                print(failure, file=sys.stderr)
        for _ in range(runs):
            for name in found:
                found[name].append(once(compared[name], folder))
    return {name: [statistics.median(column) for column in zip(*rows)] for name, rows in found.items()}


def compare(arguments, label, events, path):
    """Prints a row for each command."""
    found = medians(commands(arguments, path), arguments.n)
    _, own_cpu, own_peak = found["InferScope"]
    for name, (wall, cpu, peak) in found.items():
        figures = cpu, wall, peak, cpu / own_cpu, peak / own_peak
        print("| %s | %s | %s |" % (label, events, name), "%.2f | %.2f | %.0f | %.2f | %.2f |" % figures, flush=True)


def sizes(arguments):
    print(measured("lab/bench ingest"))
    print("| trace | events | tool | CPU s | wall s | peak MiB | CPU, times InferScope | peak, times |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for path in dict.fromkeys(arguments.traces) if arguments.given else ():
        compare(arguments, os.path.basename(path), "", os.path.abspath(path))
    for megabytes in arguments.mb:
        path, events = trace(arguments.traces, arguments.cache, "%dMB" % megabytes, most_bytes=megabytes * 10**6)
        for suffix in arguments.suffix:
            compare(arguments, "%d MB %s" % (megabytes, suffix), "{:,}".format(events), path + suffix)


def series(arguments):
    print("\n" + measured("lab/bench ingest --series"))
    print("| events | CPU s | CPU us per event | peak MiB | peak bytes per event |\n|---|---|---|---|---|", flush=True)
    for exponent in range(10, 15):
        wanted = round(10 ** (exponent / 2))
        path, events = trace(arguments.traces, arguments.cache, "%devents" % wanted, most_events=wanted)
        _, cpu, peak = medians({"InferScope": [LAUNCHER, "analyze", path + ".json"]}, arguments.n)["InferScope"]
        figures = cpu, cpu * 1e6 / events, peak, peak * 2**20 / events
        print("| {:,} |".format(events), "%.2f | %.2f | %.0f | %.0f |" % figures, flush=True)


def numbers(text):
    return [int(word) for word in text.split(",") if int(word) > 0]


def suffixes(text):
    if not set(text.split(",")) <= {".json", ".json.gz"}:
        raise argparse.ArgumentTypeError("not .json or .json.gz")
    return text.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("--given", action="store_true")
    parser.add_argument("--mb", type=numbers, default=[111, 1000], metavar="SIZES")
    parser.add_argument("--series", action="store_true")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--suffix", type=suffixes, default=[".json", ".json.gz"], metavar="S")
    parser.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "inferscope-bench"), metavar="DIR")
    arguments = parser.parse_args()
    if arguments.mb or arguments.given:
        sizes(arguments)
    if arguments.series:
        series(arguments)
