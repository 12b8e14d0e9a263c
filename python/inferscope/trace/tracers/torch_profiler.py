"""PyTorch's profiler around one step."""

import collections
import time

from .. import files, kernels
from ..tracer import Tracer

_STACK_DEPTH = 8
"""Number of frames that distinguish runs of one operator in the table; the trace itself contains all."""


class TorchProfiler(Tracer):
    """Profiles one step after one step of warm-up, with input shapes and Python stacks, which add to its time: what a step takes
    without them is in the status.

    torch_profile.json: operator -> [{count, cpu_time_total, cuda_time_total, self_cpu_time_total (us), input_shapes, stack}],
    one element per combination of shapes and stack. trace/: the trace itself. torch_kernel_profile.json and .csv: which
    operator launched which kernel; empty on a CPU, where there are none.
    """

    name = "torch_profiler"
    description = "torch.profiler: operators with shapes and stacks, kernels by operator, and the trace."
    outputs = ("torch_profile.json", "torch_kernel_profile.json", "torch_kernel_profile.csv", "trace/*.pt.trace.json")
    profile = "trace/*.pt.trace.json"

    def run(self, ctx, output_dir):
        import torch
        from torch.profiler import ProfilerActivity, profile, schedule

        activities = [ProfilerActivity.CPU]
        if ctx.options.device.startswith("cuda"):
            activities.append(ProfilerActivity.CUDA)
        ctx.model
        for _ in range(2):  # The first step fills caches; the second one shows the time without recording.
            started = time.perf_counter()
            ctx.step()
            ctx.synchronize()
            ctx.facts["step_s"] = round(time.perf_counter() - started, 6)
        with profile(activities=activities, schedule=schedule(wait=0, warmup=1, active=1, repeat=1), record_shapes=True,
                     with_stack=True, experimental_config=_verbose()) as profiler:
            for _ in range(2):
                ctx.step()
                ctx.synchronize()
                profiler.step()
        trace = output_dir / "trace" / "torch_profiler.pt.trace.json"
        trace.parent.mkdir(exist_ok=True)
        profiler.export_chrome_trace(str(trace))
        events = kernels.read(trace)
        entries = kernels.extract(events)
        counts = kernels.operator_counts(events)
        files.write_json(output_dir / "torch_profile.json", table(profiler, counts))
        kernels.write(entries, counts, output_dir / "torch_kernel_profile.json", output_dir / "torch_kernel_profile.csv")
        return kernels.operations(counts, kernels.shapes(events), entries)


def _verbose():
    """Enables verbose mode, without which PyTorch since 2.1 leaves the stacks of operators in the table empty."""
    try:
        from torch._C._profiler import _ExperimentalConfig

        return _ExperimentalConfig(verbose=True)
    except (ImportError, TypeError):
        return None


def table(profiler, operators):
    """Returns the profiler's averages of ``operators``; PyTorch's averages also include Python functions, annotations
    and kernels."""
    found = collections.defaultdict(list)
    for row in profiler.key_averages(group_by_input_shape=True, group_by_stack_n=_STACK_DEPTH):
        if row.key not in operators:
            continue
        device_us = row.device_time_total if hasattr(row, "device_time_total") else row.cuda_time_total
        found[row.key].append({
            "count": row.count,
            "cpu_time_total": row.cpu_time_total,
            "cuda_time_total": device_us,
            "self_cpu_time_total": row.self_cpu_time_total,
            "input_shapes": row.input_shapes,
            "stack": [files.without_addresses(frame) for frame in row.stack],
        })
    return found
