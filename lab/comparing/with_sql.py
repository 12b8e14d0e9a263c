#!/usr/bin/env python3
"""Figures of an export of Nsight Systems by SQLite alone, as JSON: with_sql.py EXPORT.sqlite

What `nsys stats` calls cuda_gpu_kern_sum, cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum and cuda_api_sum: for each name the number of
rows and the sum of their durations (or bytes). `nsys stats` itself is not run. A device is busy from the first start to the last end of its kernels, copies and
memory sets, less the gaps: stretches from the latest end so far to the next start. Times in ns.
"""

import json
import re
import sqlite3
import sys

DEVICE_TABLES = ("KERNEL", "MEMCPY", "MEMSET")
COPY_KINDS = {1: "H2D", 2: "D2H", 8: "D2D", 10: "P2P"}  # CUPTI's numbers, which nsys keeps.

GAPS = """
    WITH op AS (%s), reach AS (
        SELECT device, start, end,
               max(end) OVER (PARTITION BY device ORDER BY start, end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM op)
    SELECT device, count(*), max(end) - min(start), sum(start > before), sum(max(start - before, 0)), max(max(start - before, 0))
      FROM (SELECT device, start, end, coalesce(before, start) AS before FROM reach) GROUP BY device
"""

database = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
present = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def gaps(*tables):
    parts = ["SELECT deviceId AS device, start, end FROM CUPTI_ACTIVITY_KIND_" + t for t in tables if "CUPTI_ACTIVITY_KIND_" + t in present]
    return {str(device): figures for device, *figures in database.execute(GAPS % " UNION ALL ".join(parts))}


def sums(table, key, what="sum(end - start)"):
    """Count and sum by name."""
    query = "SELECT %s, count(*), %s FROM CUPTI_ACTIVITY_KIND_%s AS t GROUP BY 1" % (key, what, table)
    return {name: [count, total] for name, count, total in database.execute(query)}


def text(column):
    return "(SELECT value FROM StringIds WHERE id = t.%s)" % column


kernels_alone = gaps("KERNEL")
devices = {}
for device, (count, span, number, idle, longest) in gaps(*DEVICE_TABLES).items():
    devices[device] = {"span": span, "busy": span - idle, "idle": idle, "gaps": number, "longest gap": longest, "operations": count}
    if device in kernels_alone:
        devices[device]["kernels, united"] = kernels_alone[device][1] - kernels_alone[device][3]
calls = {}
for name, (count, total) in sums("RUNTIME", text("nameId")).items():
    both = calls.setdefault(re.sub(r"_v\d+$", "", name), [0, 0])  # The version of the entry point is no part of the name.
    both[0], both[1] = both[0] + count, both[1] + total
json.dump(
    {
        "devices": devices,
        "kernels": sums("KERNEL", text("demangledName")),
        "copies": {COPY_KINDS.get(kind, str(kind)): row for kind, row in sums("MEMCPY", "copyKind").items()},
        "bytes": {COPY_KINDS.get(kind, str(kind)): row for kind, row in sums("MEMCPY", "copyKind", "sum(bytes)").items()},
        "calls": calls,
    },
    sys.stdout,
)
