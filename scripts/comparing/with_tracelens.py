#!/usr/bin/env python3
"""Figures of one trace by TraceLens, as JSON: with_tracelens.py CHECKOUT TRACE

Times in ns. TraceLens takes all device rows of a file for one device, so only traces of a single device are comparable.
"""

import contextlib
import json
import sys

sys.path.insert(0, sys.argv[1])


def ns(us):
    return round(float(us) * 1000)


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
    return {
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
