"""Compares InferScope's figures with those of independent tools on the same traces. Writes docs/evidence/comparison.csv and docs/evidence/comparison.md.

    lab/compare tools [--traces DIR] [--nsys DIR] [--ranks DIR] [--oracle FILE] [--hta DIR] [--tracelens DIR] [--python PATH] [--keep CSV] [-o CSV] [TRACE...]

-o FILE.csv writes one row per figure there, and the summary page to FILE.md beside it; without -o the rows go to standard output.
--hta and --tracelens are checkouts of facebookresearch/HolisticTraceAnalysis and AMD-AGI/TraceLens; --python is an interpreter with pandas, plotly,
tqdm and their other imports. A tool without a checkout is skipped, and the page says so. --keep CSV takes that tool's figures from an earlier
file and compares them with InferScope's present figures of the device. --nsys holds exports of Nsight Systems, --ranks archives with one
trace per rank.
Exit code 1: a figure differs by more than its tolerance without a known reason, or a known difference no longer occurs.
"""

import argparse
import csv
import functools
import json
import math
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

from measuring import LAUNCHER

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared"

ORACLE, HTA, TRACELENS, SQL = "oracle", "HTA", "TraceLens", "SQL"
COLUMNS = ["tool", "version", "trace", "figure", "inferscope", "theirs", "difference", "tolerance", "verdict", "reason"]
LEFT_OUT = "left out"

# Tool -> what it is, in Markdown.
TOOLS = {
    ORACLE: "a script that computes unions of intervals on decimal stamps by the plainest method, without InferScope's code",
    HTA: "[Holistic Trace Analysis](https://github.com/facebookresearch/HolisticTraceAnalysis)",
    TRACELENS: "[TraceLens](https://github.com/AMD-AGI/TraceLens)",
    SQL: "SQLite on the tables that Nsight Systems exports, with sums by name as in its own reports; `nsys` itself is not run",
}

# Figure -> what it is in InferScope's report, what the others call it.
DEFINITIONS = [
    ("span", "`devices.spanNs`: first operation's start to last one's end", "oracle `span_ns`; HTA `kernel_time(us)`; TraceLens `total_time`; SQL"),
    ("busy", "`devices.busyNs`: union of kernels, copies and memory sets", "oracle `busy_ns`; TraceLens `busy_time`; SQL"),
    ("idle", "`devices.spanIdleNs`: span less busy", "oracle `idle_ns`; HTA `idle_time(us)`; TraceLens `idle_time`; SQL"),
    ("compute", "`devices.computeNs`: union of kernels other than communication", "oracle `compute_ns`; HTA `compute_time(us)`; TraceLens `computation_time`"),
    ("busy, not compute", "busy less compute", "HTA `non_compute_time(us)`"),
    ("exposed communication", "`devices.exposedCommunicationNs`", "oracle `comm_exposed_ns`; TraceLens `exposed_comm_time`"),
    ("exposed copies", "exposed H2D, D2H and other copies together", "oracle `h2d_`, `d2h_`, `other_exposed_ns`; TraceLens `exposed_memcpy_time`"),
    ("gaps", "`devices.gaps`: idle stretches in the span", "oracle `gaps`; SQL"),
    ("longest gap", "`devices.longestGapNs`", "oracle `longest_gap_ns`; SQL"),
    ("operations", "`launches.operations`", "oracle `operations`, summed; SQL"),
    ("median queue delay", "`launches.medianQueueDelayNs`: launch call's end to operation's start, not below 0", "HTA `launch_delay`, middle one"),
    ("kernel times", "`kernels.totalNs`, name by name: the largest difference", "HTA kernel breakdown `sum (us)`"),
    ("queue length", "`launchQueues.mostLength`, stream by stream: the largest difference", "HTA `queue_length`, the most of each stream"),
    ("modules' device times", "`modules.deviceNs`, summed by class of module: the largest difference", "TraceLens, `gpu_events` of `nn.Module` events, summed by class"),
    ("products", "`kernelCategories`, products of matrices", "TraceLens category `GEMM`, `total_direct_kernel_time_ms`"),
    ("collectives, waiting in collectives, longest skew", "`collectives`: `calls` over `ranks`, `waitingNs` and `maxSkewNs` of all", "TraceLens `NcclAnalyser`: calls, `avg_wait_time` of all ranks, `skew in start time`"),
    ("kernels and copies of diff", "`inferscope diff`: count, then time, name by name: the largest difference", "HTA `TraceDiff.compare_traces`, device side"),
    ("kernels, united", "compute and exposed communication together: all kernels", "SQL, the same over `KERNEL`"),
    ("kernel counts, times", "`inferscope query`, rows of kernels by name: the largest difference", "SQL `cuda_gpu_kern_sum`, instances and total time"),
    ("copy counts, bytes, times", "`copies`, by direction: the largest difference", "SQL `cuda_gpu_mem_time_sum`, `cuda_gpu_mem_size_sum`"),
    ("API call counts, times", "`inferscope query`, rows of runtime and driver calls by name: the largest difference", "SQL `cuda_api_sum`"),
    ("operators' device times", "`operators.deviceNs`, name by name: the largest difference", "TraceLens `total_direct_kernel_time`"),
]

# Tool, figures, traces, why the two differ. Each reason was checked in the tool's source and in the trace's events.
KNOWN = [
    (HTA, "span,idle,busy, not compute", "a100-alexnet,a100-simple-add,a100-event-sync", "HTA counts every event with a stream as device work, including waits (`cuda_sync`)"),
    (
        HTA,
        "span,idle,compute,busy, not compute,kernel times",
        "b200-eager,mi300-torch-compile-triton,triton-example",
        "HTA counts every event with a stream as device work, including Triton's host operators, and `multimem_all_reduce` as compute",
    ),
    (HTA, "median queue delay", "h100-nsfw-vit,h100-bert-small,b200-eager", "HTA leaves out the operations launched by `cuLaunchKernel` and `cuLaunchKernelEx` (49, 22 and 221)"),
    (
        TRACELENS,
        "compute,exposed copies,exposed communication",
        "a100-event-sync-multistream,a100-nccl,h100-nsfw-vit,h100-timesformer",
        "TraceLens counts memory sets as compute, InferScope as copies",
    ),
    (TRACELENS, "compute,exposed communication", "b200-eager", "`multimem_all_reduce_kernel` is communication in InferScope, compute in TraceLens"),
    (TRACELENS, "operators' device times", "a100-alexnet,a100-simple-add,b200-eager", "TraceLens takes the union of one call's kernels, InferScope their sum"),
    (HTA, "queue length", "mi300-qwen1.5,mi300-torch-compile-triton", "HTA leaves out the operations launched by `hipModuleLaunchKernel` (24 and 5)"),
    (TRACELENS, "span,busy,idle,compute", "mi300-qwen1.5", "TraceLens leaves out operations whose launch is not in the trace (463 of 1,517)"),
    (
        TRACELENS,
        "products",
        "a100-alexnet,a100-simple-add,a100-nccl,v100-ns-resolution",
        "InferScope counts by kernel, TraceLens by operator: convolutions run kernels that multiply matrices",
    ),
    (
        TRACELENS,
        "products",
        "a100-event-sync-multistream,h100-timesformer,mi250-minitoy",
        "InferScope counts by kernel, TraceLens by operator: those of a product also add and copy",
    ),
    (TRACELENS, "products", "mi300-qwen1.5,vllm-decode-graph", "TraceLens leaves out kernels without an operator: launches that are not in the trace, replays of a graph"),
]


PAGE_HEAD = """# Agreement with independent tools

For readers who want to know whether InferScope's figures can be trusted. Figures of real traces are computed a second
time by tools that share no code with InferScope, and the values are compared.

`lab/compare tools -o docs/{data}` writes this page and its data, [{data}]({data}): one row
per figure of one trace, times in ns, with a `verdict` (`agrees`, `explained`, `differs` or `left out`) and a `reason`.
Last run on {today}, with InferScope at {commit}.

"""

KEPT = """
For %s the figures of an earlier run were used, because no checkout was named.
InferScope's figures by name beside them are also of that run; its figures of devices are new.
"""

PAGE_FIGURES = """
A trace is left out where the tool fails on it, or expects one device and finds none or several. Perfetto's
trace_processor is not compared: no package registry at hand carries it.

## Tolerance

| tool | a figure may differ by |
| --- | --- |
| oracle, SQL | nothing |
| HTA, TraceLens | one step of a stamp per device operation, two for a span, three for a delay; at least 1 ns |

HTA and TraceLens keep stamps as double-precision microseconds. Where stamps are Unix time, one step is an eighth or a
quarter of a microsecond. HTA subtracts the sum of all starts from the sum of all ends; the resolution of these sums is
added to its tolerance.

## What is compared

| figure | in InferScope's JSON report | in the tool |
| --- | --- | --- |
"""


def known(tool, figure, trace):
    for entry in KNOWN:
        if entry[0] == tool and figure.split(" (")[0] in figures_of(entry) and trace in entry[2].split(","):
            return entry
    return None


def figures_of(entry):
    return entry[1].replace("busy, not", "busy; not").replace(",", "|").replace("busy; not", "busy, not").split("|")


def report_of(trace):
    done = subprocess.run([LAUNCHER, "analyze", str(trace), "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def by_inferscope(report):
    """Returns InferScope's figures of the devices of a trace, by device."""
    figures = {}
    for device in report["devices"]:
        launches = next(line for line in report["launches"] if line["device"] == device["id"])
        figures[device["id"]] = {
            "span": device["spanNs"],
            "busy": device["busyNs"],
            "idle": device["spanIdleNs"],
            "compute": device["computeNs"],
            "busy, not compute": device["busyNs"] - device["computeNs"],
            "exposed communication": device["exposedCommunicationNs"],
            "exposed copies": device["exposedH2dNs"] + device["exposedD2hNs"] + device["exposedOtherCopyNs"],
            "gaps": device["gaps"],
            "longest gap": device["longestGapNs"],
            "operations": launches["operations"],
            "median queue delay": launches["medianQueueDelayNs"],
            "kernels, united": device["computeNs"] + device["exposedCommunicationNs"],
        }
    for queue in report["launchQueues"]:
        figures[queue["device"]].setdefault("queues", {})[queue["stream"].rpartition("/")[2]] = queue["mostLength"]
    modules = {}
    for module in report["modules"]:
        name = module["path"].rpartition(" > ")[2]
        modules[name] = modules.get(name, 0) + module["deviceNs"]
    products = [line["totalNs"] for line in report["kernelCategories"] if line["category"] == "products of matrices"]
    if len(figures) == 1:
        next(iter(figures.values())).update({"products": sum(products) if products else None, "modules": {} if report["modulesLeftOut"] else modules})
    kernels = {kernel["name"]: kernel["totalNs"] for kernel in report["kernels"]}
    operators = {operator["name"]: operator["deviceNs"] for operator in report["operators"] if operator["deviceNs"]}
    return figures, {"kernel times": kernels, "operators' device times": operators}


def by_oracle(oracle, trace):
    done = subprocess.run([sys.executable, str(oracle), str(trace)], check=True, capture_output=True, text=True)
    devices = json.loads(done.stdout)["devices"]
    return {
        key: {
            "span": d["span_ns"],
            "busy": d["busy_ns"],
            "idle": d["idle_ns"],
            "compute": d["compute_ns"],
            "exposed communication": d["comm_exposed_ns"],
            "exposed copies": d["h2d_exposed_ns"] + d["d2h_exposed_ns"] + d["other_exposed_ns"],
            "gaps": d["gaps"],
            "longest gap": d["longest_gap_ns"],
            "operations": sum(d["operations"].values()),
        }
        for key, d in devices.items()
    }, {key: d["first_ns"] for key, d in devices.items()}


def by_adapter(options, script, checkout, trace):
    """Returns the figures of a tool, or a sentence why there are none."""
    done = subprocess.run([options.python, str(HERE / script), str(checkout), str(trace)], capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stderr.strip().splitlines() if line]
        return "ended with an error: " + (lines[-1][:160] if lines else "exit code %d" % done.returncode)
    return json.loads(done.stdout)


class Page:
    def __init__(self):
        self.rows = {ORACLE: [], HTA: [], TRACELENS: [], SQL: []}
        self.ours = {}
        self.versions = {}
        self.skipped = []
        self.kept = []
        self.used = set()
        self.wrong = 0

    def add(self, tool, trace, figure, ours, theirs, tolerance):
        difference = ours - theirs
        entry = known(tool, figure, trace)
        verdict, reason = "differs", ""
        if abs(difference) <= tolerance:
            verdict = "agrees"
        elif entry:
            verdict, reason = "explained", entry[3]
            self.used.add(entry)
        else:
            self.wrong += 1
        self.rows[tool].append((trace, figure, ours, theirs, difference, tolerance, verdict, reason))

    def add_names(self, tool, trace, figure, ours, theirs, tolerance):
        """One row for all names: the one that differs most."""
        both = sorted(set(ours) & set(theirs), key=lambda name: (-abs(ours[name] - theirs[name]), name))
        if both:
            self.add(tool, trace, "%s (%d names)" % (figure, len(both)), ours[both[0]], theirs[both[0]], tolerance)


    def add_all_names(self, tool, trace, figure, ours, theirs):
        """The same, where a name that one of them lacks counts as 0."""
        names = sorted(set(ours) | set(theirs), key=lambda name: (-abs(ours.get(name, 0) - theirs.get(name, 0)), name))
        if names:
            self.add(tool, trace, "%s (%d names)" % (figure, len(names)), ours.get(names[0], 0), theirs.get(names[0], 0), 0)

    def keep(self, tool, earlier):
        """Takes a tool's figures from the rows of an earlier file; InferScope's figures of a device are those of this run."""
        for row in earlier:
            if row["tool"] != tool:
                continue
            self.versions[tool] = row["version"]
            if row["verdict"] == LEFT_OUT:
                self.skipped.append((tool, row["trace"], row["reason"]))
            else:
                trace, figure = row["trace"], row["figure"]
                ours = self.ours.get((trace, figure), int(row["inferscope"]))
                self.add(tool, trace, figure, ours, int(row["theirs"]), int(row["tolerance"]))


def tolerated(stamp, count, sums, figure):
    """Returns by how much a figure may differ: two or three stamps, or those of every operation and what sums of stamps do not resolve."""
    stamps = {"span": 2, "median queue delay": 3}.get(figure, count)
    return max(1, math.ceil(stamps * stamp + (sums if stamps == count and "times" not in figure else 0)))


def compare(page, options, trace):
    name = trace.name.removesuffix(".json.gz")
    ours, names = by_inferscope(report_of(trace))
    theirs, first = by_oracle(options.oracle, trace)
    for key in sorted(theirs):
        for figure, value in theirs[key].items():
            label = name if len(theirs) == 1 else "%s, device %s" % (name, key)
            page.add(ORACLE, label, figure, ours[key][figure], value, 0)
    if len(theirs) != 1:
        page.skipped += [(tool, name, "%d devices; the tool expects one" % len(theirs)) for tool in (HTA, TRACELENS)]
        return
    key = next(iter(theirs))
    page.ours.update({(name, figure): value for figure, value in ours[key].items()})
    stamp, count = math.ulp(first[key] / 1000) * 1000, theirs[key]["operations"] + 1
    sums = 2 * math.ulp(first[key] / 1000 * count) * 1000
    for tool, script, checkout in ((HTA, "with_hta.py", options.hta), (TRACELENS, "with_tracelens.py", options.tracelens)):
        if not checkout:
            continue
        figures = by_adapter(options, script, checkout, trace)
        if isinstance(figures, str):
            page.skipped.append((tool, name, figures))
            continue
        tolerance = functools.partial(tolerated, stamp, count, sums if tool == HTA else 0)
        for figure, value in figures.items():
            if figure in ours[key] and isinstance(value, int) and ours[key][figure] is not None:
                page.add(tool, name, figure, ours[key][figure], value, tolerance(figure))
        for figure, key_of, tolerance_of in (("queue length", "queues", None), ("modules' device times", "modules", "operators' device times")):
            page.add_names(tool, name, figure, ours[key].get(key_of, {}), figures.pop(key_of, {}), tolerance(tolerance_of) if tolerance_of else 0)
        for figure, table in (("kernel times", figures.get("kernels", {})), ("operators' device times", figures.get("operators", {}))):
            page.add_names(tool, name, figure, names[figure], table, tolerance(figure))


def summed(rows, key, value):
    sums = {}
    for row in rows:
        sums[row[key]] = sums.get(row[key], 0) + row[value]
    return sums


def by_query(trace, kinds):
    """Count and time by name, of all rows of some kinds: the report has the largest."""
    query = "SELECT name, count(*) AS count, sum(duration_ns) AS ns FROM events WHERE kind %s GROUP BY 1" % kinds
    done = subprocess.run([LAUNCHER, "query", str(trace), query, "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def compare_nsys(page, export):
    """Compares an export of Nsight Systems with what SQLite says of its tables."""
    report = report_of(export)
    ours, _ = by_inferscope(report)
    done = subprocess.run([sys.executable, str(HERE / "with_sql.py"), str(export)], check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout)
    for key in sorted(theirs["devices"]):
        label = export.stem if len(theirs["devices"]) == 1 else "%s, device %s" % (export.stem, key)
        for figure, value in theirs["devices"][key].items():
            page.add(SQL, label, figure, ours[key][figure], value, 0)
    kernels, calls = by_query(export, "= 'kernel'"), by_query(export, "IN ('runtime_call', 'driver_call')")
    copies = [row for row in report["copies"] if row["direction"] != "memset"]
    for figure, rows, key, value, part, column in (
        ("kernel counts", kernels, "name", "count", "kernels", 0),
        ("kernel times", kernels, "name", "ns", "kernels", 1),
        ("copy counts", copies, "direction", "count", "copies", 0),
        ("copy times", copies, "direction", "totalNs", "copies", 1),
        ("copy bytes", copies, "direction", "sizeBytes", "bytes", 1),
        ("API call counts", calls, "name", "count", "calls", 0),
        ("API call times", calls, "name", "ns", "calls", 1),
    ):
        page.add_all_names(SQL, export.stem, figure, summed(rows, key, value), {name: row[column] for name, row in theirs[part].items()})


def compare_diff(page, options, before, after):
    """Compares what diff says of the kernels and copies of two traces that have one profiler step each."""
    label = "%s -> %s" % (before, after)
    files = [str(options.traces / (name + ".json.gz")) for name in (before, after)]
    done = subprocess.run(
        [options.python, str(HERE / "with_hta_diff.py"), str(options.hta), *files], capture_output=True, text=True)
    if done.returncode != 0:
        page.skipped.append((HTA, label, "ended with an error"))
        return
    theirs = json.loads(done.stdout)
    done = subprocess.run([LAUNCHER, "diff", *files, "--format", "json"], check=True, capture_output=True, text=True)
    ours = {}
    for group in json.loads(done.stdout)["groups"]:
        if group["id"] in ("kernels", "copies"):
            for change in group["changes"]:
                for name, side in ((change["formerly"] or change["name"], 0), (change["name"], 1)):
                    values = ours.setdefault(name, [0, 0, 0, 0])
                    values[side] += round(change[("beforeCount", "afterCount")[side]])
                    values[2 + side] += round(change[("beforeNs", "afterNs")[side]])
    names = sorted(set(ours) | set(theirs))
    for what, sides, tolerance in (("count", (0, 1), 0), ("time", (2, 3), 60)):
        pairs = [(ours.get(name, [0] * 4)[side], theirs.get(name, [0] * 4)[side]) for name in names for side in sides]
        worst = max(pairs, key=lambda pair: abs(pair[0] - pair[1]))
        page.add(HTA, label, "kernels and copies of diff, %s (%d names)" % (what, len(names)), *worst, tolerance)


def compare_ranks(page, options, archive):
    """Compares the collectives of several ranks, one trace each in an archive, named by rank."""
    name = archive.name.removesuffix(".tar.gz")
    ours = report_of(archive)["collectives"]
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        files = sorted(pathlib.Path(folder).rglob("*.json"))
        done = subprocess.run(
            [options.python, str(HERE / "with_tracelens_ranks.py"), str(options.tracelens), *map(str, files)], capture_output=True, text=True)
    if done.returncode != 0:
        page.skipped.append((TRACELENS, name, "ended with an error"))
        return
    theirs = json.loads(done.stdout)
    page.add(TRACELENS, name, "collectives", sum(line["calls"] // line["ranks"] for line in ours), theirs["collectives"], 0)
    page.add(TRACELENS, name, "waiting in collectives", sum(line["waitingNs"] for line in ours), theirs["waiting in collectives"], 0)
    page.add(TRACELENS, name, "longest skew", max(line["maxSkewNs"] for line in ours), theirs["longest skew"], 0)


def version(checkout):
    done = subprocess.run(["git", "-C", str(checkout), "log", "-1", "--format=%h of %cs"], capture_output=True, text=True)
    return done.stdout.strip() or "version unknown"


def write_rows(page, out):
    """Writes one row per figure, then one per trace that a tool could not read."""
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for tool in TOOLS:
        for row in page.rows[tool]:
            rows.writerow([tool, page.versions.get(tool, ""), *row])
        for _, trace, why in sorted(skipped for skipped in page.skipped if skipped[0] == tool):
            rows.writerow([tool, page.versions.get(tool, ""), trace, "", "", "", "", "", LEFT_OUT, why])


def write_page(page, data, out):
    out.write(PAGE_HEAD.format(data=data, commit=version(HERE), today=time.strftime("%Y-%m-%d", time.gmtime())))
    out.write("| tool | version | rows | agree | differ, explained | differ | traces left out |\n")
    out.write("| --- | --- | ---: | ---: | ---: | ---: | ---: |\n")
    for tool in TOOLS:
        count = {verdict: sum(row[6] == verdict for row in page.rows[tool]) for verdict in ("agrees", "explained", "differs")}
        left_out = sum(skipped[0] == tool for skipped in page.skipped)
        counts = (len(page.rows[tool]), count["agrees"], count["explained"], count["differs"], left_out)
        out.write("| %s | %s | %d | %d | %d | %d | %d |\n" % (tool, page.versions.get(tool, ""), *counts))
    out.write("\n| tool | what it is |\n| --- | --- |\n")
    for tool, what in TOOLS.items():
        out.write("| %s | %s |\n" % (tool, what))
    if page.kept:
        out.write(KEPT % " and ".join(page.kept))
    out.write("\n## Where they differ, and why\n\nEach reason was checked in the tool's source and in the trace's events.\n\n")
    out.write("| tool | figures | traces | reason |\n| --- | --- | --- | --- |\n")
    for entry in KNOWN:
        if entry in page.used:
            out.write("| %s | %s | %s | %s |\n" % (entry[0], ", ".join(figures_of(entry)), entry[2].replace(",", ", "), entry[3]))
    out.write(PAGE_FIGURES)
    for row in DEFINITIONS:
        out.write("| %s | %s | %s |\n" % row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--traces", type=pathlib.Path, default=SHARED / "traces" / "kineto")
    parser.add_argument("--nsys", type=pathlib.Path, default=SHARED / "traces" / "nsys")
    parser.add_argument("--ranks", type=pathlib.Path, default=SHARED / "traces" / "ranks")
    parser.add_argument("--keep", type=pathlib.Path, metavar="CSV")
    parser.add_argument("--oracle", type=pathlib.Path, default=SHARED / "tools" / "oracle.py")
    parser.add_argument("--hta", type=pathlib.Path)
    parser.add_argument("--tracelens", type=pathlib.Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="CSV")
    parser.add_argument("trace", nargs="*", help="names without ending; all of --traces by default")
    options = parser.parse_args()
    page = Page()
    for tool, checkout in ((HTA, options.hta), (TRACELENS, options.tracelens)):
        if checkout:
            page.versions[tool] = version(checkout)
        else:
            print("compare-tools: no checkout of %s named: it is %s" % (tool, "kept" if options.keep else "skipped"), file=sys.stderr)
    earlier = list(csv.DictReader(options.keep.open(encoding="utf-8", newline=""))) if options.keep else []
    for trace in sorted(options.traces.glob("*.json.gz")):
        if not options.trace or trace.name.removesuffix(".json.gz") in options.trace:
            print("compare-tools: " + trace.name, file=sys.stderr)
            compare(page, options, trace)
    for export in sorted(options.nsys.glob("*.sqlite")):
        if not options.trace or export.stem in options.trace:
            print("compare-tools: " + export.name, file=sys.stderr)
            compare_nsys(page, export)
    if options.hta and not options.trace:
        compare_diff(page, options, "h100-bert-small", "h100-nsfw-vit")
    if options.tracelens and not options.trace:
        for archive in sorted(options.ranks.glob("*.tar.gz")):
            compare_ranks(page, options, archive)
    for tool, checkout in ((HTA, options.hta), (TRACELENS, options.tracelens)):
        if earlier and not checkout:
            page.skipped = [skipped for skipped in page.skipped if skipped[0] != tool]
            page.kept.append(tool)
            page.keep(tool, earlier)
    if options.output:
        with open(options.output, "w", encoding="utf-8", newline="") as out:
            write_rows(page, out)
        with open(options.output.with_suffix(".md"), "w", encoding="utf-8") as out:
            write_page(page, options.output.name, out)
    else:
        write_rows(page, sys.stdout)
    stale = [] if options.trace or not (earlier or options.hta and options.tracelens) else [entry for entry in KNOWN if entry not in page.used]
    for entry in stale:
        print("compare-tools: a known difference no longer occurs: %s" % (entry,), file=sys.stderr)
    for tool, rows in page.rows.items():
        for row in rows:
            if row[6] == "differs":
                print("compare-tools: %s differs: %s" % (tool, row[:6]), file=sys.stderr)
    sys.exit(1 if page.wrong or stale else 0)
