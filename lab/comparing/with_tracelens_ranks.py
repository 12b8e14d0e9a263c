#!/usr/bin/env python3
"""Waiting in the collectives of several ranks by TraceLens, as JSON: with_tracelens_ranks.py CHECKOUT TRACE...

One trace per rank, in the order of the ranks. Times in ns, of all collectives in which all ranks take part.
"""

import contextlib
import json
import sys

sys.path.insert(0, sys.argv[1])


def figures():
    from TraceLens.NcclAnalyser.nccl_analyser import NcclAnalyser

    analyser = NcclAnalyser(sys.argv[2:], len(sys.argv) - 2)
    analyser.build_df_long()
    calls = analyser.build_df_nccl_implicit_sync_cat(strict_metadata_check=False)
    waits = sum(float(mean) * (len(sys.argv) - 2) for mean in calls["avg_wait_time"])
    return {"collectives": len(calls), "waiting in collectives": round(waits * 1000), "longest skew": round(float(calls["skew in start time"].max()) * 1000)}


with contextlib.redirect_stdout(sys.stderr):
    result = figures()
json.dump(result, sys.stdout)
