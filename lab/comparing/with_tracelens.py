#!/usr/bin/env python3
"""Figures of one trace by TraceLens, as JSON: with_tracelens.py CHECKOUT TRACE

Times in ns. TraceLens takes all device rows of a file for one device, so only traces of a single device are comparable.
"""

import contextlib
import json
import re
import sys

sys.path.insert(0, sys.argv[1])


def ns(us):
    return round(float(us) * 1000)


def modules(tree):
    """Device time under the calls of each class of module; one inside another of its class counts for both."""
    sums = {}
    for event in tree.events:
        if tree._is_nn_module_event(event):
            name = re.sub(r"_\d+$", "", event["name"].split(": ", 1)[-1])
            sums[name] = sums.get(name, 0.0) + sum(tree.get_UID2event(uid)["dur"] for uid in event.get("gpu_events", []))
    return {name: ns(us) for name, us in sums.items()}


def figures():
    from TraceLens import TreePerfAnalyzer

    analyzer = TreePerfAnalyzer.from_file(sys.argv[2])
    timeline = analyzer.get_df_gpu_timeline()
    by_type = {kind: round(float(ms) * 1e6) for kind, ms in zip(timeline["type"], timeline["time ms"])}
    launchers = analyzer.get_df_kernel_launchers()
    operators = {}
    if len(launchers):
        for name, us in zip(launchers["name"], launchers["total_direct_kernel_time"]):
            operators[name] = operators.get(name, 0.0) + float(us)
    products = None
    if len(launchers):
        categories = analyzer.get_df_kernel_launchers_summary_by_category(launchers)
        products = next((float(ms) for name, ms in zip(categories["op category"], categories["total_direct_kernel_time_ms"]) if name == "GEMM"), None)
    return {
        "products": None if products is None else round(products * 1e6),
        "modules": modules(TreePerfAnalyzer.from_file(sys.argv[2], add_python_func=True).tree),
        "span": by_type["total_time"],
        "busy": by_type["busy_time"],
        "idle": by_type["idle_time"],
        "compute": by_type["computation_time"],
        "exposed communication": by_type["exposed_comm_time"],
        "exposed copies": by_type["exposed_memcpy_time"],
        "operators": {name: ns(us) for name, us in operators.items()},
    }


with contextlib.redirect_stdout(sys.stderr):
    result = figures()
json.dump(result, sys.stdout)
