#!/usr/bin/env python3
"""What Holistic Trace Analysis finds on the device in two traces of one profiler step each, as JSON: with_hta_diff.py CHECKOUT BEFORE AFTER

By name: count before, count after, ns before, ns after.
"""

import json
import logging
import os
import sys

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"  # Otherwise every timestamp is rounded to whole microseconds.
sys.path.insert(0, sys.argv[1])
logging.disable(logging.CRITICAL)

from hta.common.trace import Trace  # noqa: E402
from hta.trace_diff import DeviceType, LabeledTrace, TraceDiff  # noqa: E402


def side(label, path):
    return LabeledTrace(t=Trace(trace_files={0: os.path.abspath(path)}, trace_dir="/"), label=label)


table = TraceDiff.compare_traces(side("before", sys.argv[2]), side("after", sys.argv[3]), device_type=DeviceType.GPU)
columns = ("before_counts", "after_counts", "before_total_duration", "after_total_duration")
json.dump(
    {name: [int(row[0]), int(row[1]), round(row[2] * 1000), round(row[3] * 1000)] for name, row in zip(table.index, table[list(columns)].values.tolist())},
    sys.stdout,
)
