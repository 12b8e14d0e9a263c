#!/usr/bin/env python3
"""Figures of one trace by Holistic Trace Analysis, as JSON: with_hta.py CHECKOUT TRACE

Times in ns. HTA takes all device rows of a file for one device, so only traces of a single device are comparable.
"""

import json
import logging
import os
import sys

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"  # Otherwise every timestamp is rounded to whole microseconds.
sys.path.insert(0, sys.argv[1])
logging.disable(logging.CRITICAL)

from hta.analyzers.breakdown_analysis import BreakdownAnalysis  # noqa: E402
from hta.analyzers.cuda_kernel_analysis import CudaKernelAnalysis  # noqa: E402
from hta.analyzers.trace_counters import TraceCounters  # noqa: E402
from hta.common.trace import Trace  # noqa: E402


def ns(us):
    return round(float(us) * 1000)


trace = Trace(trace_files={0: os.path.abspath(sys.argv[2])}, trace_dir="/")
trace.parse_traces(max_ranks=1, use_multiprocessing=False)
row = BreakdownAnalysis.get_temporal_breakdown(trace, visualize=False).iloc[0]
kernels, _ = None, None
_, kernels = BreakdownAnalysis.get_gpu_kernel_breakdown(trace, visualize=False, duration_ratio=1.0, num_kernels=1_000_000)
launches = CudaKernelAnalysis.cuda_kernel_launch_stats(trace, visualize=False)[0]
delays = sorted(launches["launch_delay"])
queues = TraceCounters.get_queue_length_time_series(trace, [0]).get(0)
json.dump(
    {
        "span": ns(row["kernel_time(us)"]),
        "idle": ns(row["idle_time(us)"]),
        "compute": ns(row["compute_time(us)"]),
        "busy, not compute": ns(row["non_compute_time(us)"]),
        "launches joined": len(delays),
        "median queue delay": ns(delays[(len(delays) - 1) // 2]) if delays else None,
        "queues": {} if queues is None else {str(stream): int(most) for stream, most in queues.groupby("stream")["queue_length"].max().items()},
        "kernels": {name: ns(total) for name, total in zip(kernels["name"], kernels["sum (us)"])},
    },
    sys.stdout,
)
