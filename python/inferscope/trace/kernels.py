"""Finds the operator of each kernel in a trace of PyTorch's profiler (Kineto's Chrome JSON).

A kernel belongs to the innermost operator that encloses the call that launched it, on the thread of that call; call and
kernel are joined by their correlation id, whatever the order of events in the file. If the call is not recorded, the
external id that Kineto writes to both identifies the operator. Copies, fills and annotations on the device are not
kernels.
"""

import collections
import gzip
import json

from . import files

KERNEL = "kernel"
LAUNCHERS = frozenset(("cuda_runtime", "cuda_driver", "hip_runtime", "runtime", "xpu_runtime"))
OPERATOR = "cpu_op"
FRAME = "python_function"
NO_OPERATOR = "<no operator>"
"""The operator of kernels that no recorded operator launched."""

_MAX_FRAMES = 32
CSV_HEADER = ("cpu_op_name", "cpu_op_total_count", "gpu_kernel_name", "gpu_kernel_total_count")


def read(path):
    """Returns the events of a trace, whose times are microseconds."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rb") as file:
        document = json.load(file)
    return document["traceEvents"] if isinstance(document, dict) else document


def extract(events):
    """Returns one entry per run of an operator that launched kernels, in the order of their starts."""
    complete = [e for e in events if e.get("ph") == "X" and "ts" in e and "dur" in e]
    operators, launches = _nest(complete)
    by_external = {}
    for operator in operators:
        external = _args(operator.event).get("External id")
        if external is not None:
            by_external.setdefault(external, operator)
    lost = _Operator({"name": NO_OPERATOR, "cat": None, "dur": 0, "ts": float("inf")}, ())
    for event in complete:
        if str(event.get("cat", "")).lower() == KERNEL:
            args = _args(event)
            owner = launches.get(args.get("correlation")) or by_external.get(args.get("External id")) or lost
            owner.kernels.append(event)
    with_kernels = [operator for operator in operators if operator.kernels] + ([lost] if lost.kernels else [])
    return [_entry(operator) for operator in with_kernels]


def operator_counts(events):
    """Returns how often each operator ran, by name."""
    return collections.Counter(e["name"] for e in events if e.get("ph") == "X" and e.get("cat") == OPERATOR)


def shapes(events):
    """Returns the shapes of the inputs that each operator was run with, as texts."""
    found = collections.defaultdict(set)
    for event in events:
        if event.get("ph") == "X" and event.get("cat") == OPERATOR:
            dims = _args(event).get("Input Dims")
            if dims:
                found[event["name"]].add(str(dims))
    return found


def operations(counts, shapes_of, entries):
    """Returns the input of the comparison across models, as ``Tracer.run`` describes it."""
    names = collections.Counter(kernel["kernel_name"] for entry in entries for kernel in entry["associated_kernels"])
    return {"operators": {name: {"count": count, "shapes": sorted(shapes_of.get(name, ()))} for name, count in counts.items()},
            "kernels": names}


def write(entries, counts, json_path, csv_path):
    """Writes both forms: every run of an operator, and pairs of operator and kernel with their counts."""
    files.write_json(json_path, entries)
    pairs = collections.Counter((entry["cpu_op_name"], kernel["kernel_name"])
                                for entry in entries for kernel in entry["associated_kernels"])
    rows = [(operator, counts.get(operator, 0), kernel, count) for (operator, kernel), count in sorted(pairs.items())]
    files.write_csv(csv_path, CSV_HEADER, rows)


class _Operator:
    __slots__ = ("event", "frames", "kernels")

    def __init__(self, event, frames):
        self.event = event
        self.frames = frames
        self.kernels = []


def _args(event):
    args = event.get("args")
    return args if isinstance(args, dict) else {}


def _nest(events):
    """Returns the runs of operators by start, and by correlation id the innermost run around a launching call."""
    threads = collections.defaultdict(list)
    for event in events:
        if event.get("cat") in (OPERATOR, FRAME) or event.get("cat") in LAUNCHERS:
            threads[str(event.get("pid")), str(event.get("tid"))].append(event)
    operators, launches = [], {}
    for own in threads.values():
        own.sort(key=lambda e: (e["ts"], -e["dur"], e.get("cat") in LAUNCHERS))
        stack = []  # of (end, operator or None, name of a frame or None)
        for event in own:
            while stack and stack[-1][0] <= event["ts"]:
                stack.pop()
            end = event["ts"] + event["dur"]
            if event["cat"] == OPERATOR:
                frames = tuple(frame for _, _, frame in reversed(stack) if frame)[:_MAX_FRAMES]
                operator = _Operator(event, frames)
                operators.append(operator)
                stack.append((end, operator, None))
            elif event["cat"] == FRAME:
                stack.append((end, None, files.without_addresses(event["name"])))
            else:
                owner = next((operator for _, operator, _ in reversed(stack) if operator), None)
                if owner is not None:
                    launches[_args(event).get("correlation")] = owner
    operators.sort(key=lambda o: o.event["ts"])
    launches.pop(None, None)
    return operators, launches


def _entry(operator):
    args = _args(operator.event)
    kernels = sorted(operator.kernels, key=lambda k: k["ts"])
    durations = [kernel["dur"] for kernel in kernels]
    shape = json.dumps(args.get("Input Dims", []), separators=(",", ":"))
    streams = collections.Counter(str(_stream(kernel)) for kernel in kernels)
    stack = args.get("Call stack")
    return {
        "sequence_number": args.get("Sequence number"),
        "cpu_op_name": operator.event["name"],
        "cpu_op_cat": operator.event["cat"],
        "cpu_external_id": args.get("External id"),
        "cpu_time_us": operator.event["dur"],
        "total_kernel_time_us": round(sum(durations), 3),
        "kernel_call_count": len(kernels),
        "associated_kernels": [{
            "kernel_name": kernel["name"],
            "kernel_cat": kernel["cat"],
            "kernel_external_id": _args(kernel).get("External id"),
            "kernel_duration_us": kernel["dur"],
            "stream_id": _stream(kernel),
        } for kernel in kernels],
        "kernel_call_count_by_shape": {shape: len(kernels)},
        "kernel_call_count_by_stream": dict(sorted(streams.items())),
        "kernel_duration_stats_us": {"min": min(durations), "max": max(durations),
                                     "avg": round(sum(durations) / len(durations), 3)},
        "input_dims_count": {shape: 1},
        "call_stack": stack.split(";") if isinstance(stack, str) else list(operator.frames),
    }


def _stream(kernel):
    return _args(kernel).get("stream", kernel.get("tid"))
