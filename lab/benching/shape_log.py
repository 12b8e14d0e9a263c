"""Measures the time and memory that the report on a large shape log needs. Prints a Markdown table for docs/evidence/performance.md.

    lab/bench shape-log [--gb SIZE] [--shapes N] [--heaps SIZES] [--dir DIR] [--keep]

The log is made as the recorder writes it: a language model of 24 layers decodes, and the keys and values that attention reads are longer each
time, until there were N different shapes; then they begin again. Every tenth pass has an operator that fails with a message of its own. The script
fails if the report counts another number of calls than were made.

    --gb SIZE       size of the log in 10^9 bytes (default 10)
    --shapes N      different shapes of attention in it (default 1000000: twice as many as the report distinguishes)
    --heaps SIZES   sizes of the JVM's heap, one run for each (default 200m,default)
    --dir DIR       where the log is made (default ${TMPDIR:-/tmp}); it is removed afterwards
    --keep          leave the log there
"""

import argparse
import itertools
import json
import os
import sys
import tempfile

from measuring import LAUNCHER, once

LAYERS, HIDDEN = 24, 1024
FIXED_PER_LAYER = (
    ("aten.mul.Tensor", {"self": (1, 1, HIDDEN), "other": (HIDDEN,)}, (1, 1, HIDDEN)),
    ("aten.rsqrt.default", {"self": (1, 1, 1)}, (1, 1, 1)),
    ("aten.view.default", {"self": (1, 1, HIDDEN)}, (1, HIDDEN)),
    ("aten.t.default", {"self": (HIDDEN, HIDDEN)}, (HIDDEN, HIDDEN)),
    ("aten.addmm.default", {"self": (HIDDEN,), "mat1": (1, HIDDEN), "mat2": (HIDDEN, HIDDEN)}, (1, HIDDEN)),
    ("aten.transpose.int", {"self": (1, 1, 16, 64)}, (1, 16, 1, 64)),
    ("aten.mm.default", {"self": (1, HIDDEN), "mat2": (HIDDEN, 4 * HIDDEN)}, (1, 4 * HIDDEN)),
    ("aten.silu.default", {"self": (1, 1, 4 * HIDDEN)}, (1, 1, 4 * HIDDEN)),
    ("aten.add.Tensor", {"self": (1, 1, HIDDEN), "other": (1, 1, HIDDEN)}, (1, 1, HIDDEN)),
)


def tensor(shape):
    return '{"shape": %s, "dtype": "torch.float16"}' % list(shape)


def body(operation, inputs, output):
    """The part of a row after its numbers."""
    names = ", ".join('"%s": %s' % (name, tensor(shape)) for name, shape in inputs.items())
    return '"operation": "%s", "inputs": {%s}, "outputs": %s}\n' % (operation, names, tensor(output))


def template(operation, inputs, output):
    """As ``body``, with a place for each size of -1."""
    return body(operation, inputs, output).replace("-1", "%d")


GROWING = template("aten.scaled_dot_product_attention.default", {"query": (1, 16, 1, 64), "key": (1, 16, -1, 64), "value": (1, 16, -1, 64)},
                   (1, 16, 1, 64)), template("aten.slice.Tensor", {"self": (1, 16, -1, 64)}, (1, 16, -1, 64))
FAILING = ('"operation": "aten.index_select.default", "inputs": {"self": %s}, "outputs": null, "error": {"error_type": "IndexError", '
           '"error_message": "index %%d is out of range %s"}}\n') % (tensor((HIDDEN, 4)), "of the table " * 60)


def forward_pass(number, lengths):
    """The bodies of a pass's rows."""
    fixed = [body(*row) for row in FIXED_PER_LAYER]
    bodies = []
    for _ in range(LAYERS):
        length = next(lengths)
        bodies += fixed
        bodies += [GROWING[0] % (length, length), GROWING[1] % (length, length)]
    return bodies + [FAILING % number] * (number % 10 == 0)


def make(path, size_bytes, shapes):
    """Makes a log of at least ``size_bytes``. Returns how many calls it has."""
    lengths, written, calls = itertools.cycle(range(1, 1 + shapes // len(GROWING))), 0, 0
    with open(path, "w", encoding="utf-8", buffering=1 << 20) as file:
        for number in itertools.count(1):
            if written >= size_bytes:
                return calls
            bodies = forward_pass(number, lengths)
            middle = ', "forward_pass": %d, ' % number
            numbers = map(str, range(calls + 1, calls + 1 + len(bodies)))
            written += file.write("".join(itertools.chain.from_iterable(
                zip(itertools.repeat('{"call_id": '), numbers, itertools.repeat(middle), bodies))))
            calls += len(bodies)


def check(report, calls):
    """Ends the script if a report counts another number of calls than were made."""
    with open(report, encoding="utf-8") as file:
        counted = json.load(file)["totals"]["calls"]
    if counted != calls:
        sys.exit("bench-shape-log: %d calls were made, the report counts %d" % (calls, counted))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gb", type=float, default=10)
    parser.add_argument("--shapes", type=int, default=1_000_000)
    parser.add_argument("--heaps", default="200m,default")
    parser.add_argument("--dir", default=os.environ.get("TMPDIR", "/tmp"))
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    once([LAUNCHER, "--version"])
    with tempfile.TemporaryDirectory(dir=arguments.dir) as folder:
        log, report = os.path.join(arguments.dir if arguments.keep else folder, "shapes.jsonl"), os.path.join(folder, "report.json")
        calls = make(log, arguments.gb * 1e9, arguments.shapes)
        size_bytes = os.path.getsize(log)
        print("%.2f GB, %s calls, %s shapes of attention\n" % (size_bytes / 1e9, format(calls, ","), format(arguments.shapes, ",")))
        print("| heap | CPU s | wall s | peak MiB | MB per CPU s |\n|---|---|---|---|---|", flush=True)
        for heap in arguments.heaps.split(","):
            os.environ["INFERSCOPE_JAVA_OPTS"] = "" if heap == "default" else "-Xmx" + heap
            wall_s, cpu_s, peak_mib = once([LAUNCHER, "shapes", "analyze", log, "-o", report])
            check(report, calls)
            print("| %s | %.1f | %.1f | %.0f | %.0f |" % (heap, cpu_s, wall_s, peak_mib, size_bytes / 1e6 / cpu_s), flush=True)
