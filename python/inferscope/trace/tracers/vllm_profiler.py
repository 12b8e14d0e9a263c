"""vLLM's own profiler around some prompts that its engine answers."""

import collections
import dataclasses
import os

from .. import files, inputs, kernels, phases
from ..tracer import Tracer, Unsupported

_MAX_TOKENS = 16
"""Tokens per prompt; with these, decode steps outnumber the prefill."""

_MAX_STEPS = 10_000
"""Most steps. An engine that has not finished some sixteen tokens by then hangs."""


class VllmProfiler(Tracer):
    """Lets an LLMEngine of the installed vLLM answer prompts under its profiler, without CUDA graphs, after one warm-up request.

    trace/: the trace of each worker. vllm_profile.json: operator -> {count, cpu_time_total (us)}. vllm_kernel_profile.json
    and .csv: which operator launched which kernel. vllm_phases.json: attention, KV-cache and other work per prefill and decode.
    """

    name = "vllm_profiler"
    description = "vLLM's profiler: operators, kernels by operator, attention and KV-cache work per prefill and decode."
    version = "2"
    frameworks = ("vllm",)
    modes = ("eval",)
    outputs = ("vllm_profile.json", "vllm_kernel_profile.json", "vllm_kernel_profile.csv", "vllm_phases.json",
               "trace/*.pt.trace.json*")
    profile = "trace/*.pt.trace.json*"

    def run(self, ctx, output_dir):
        folder = output_dir / "trace"
        folder.mkdir(exist_ok=True)
        os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")  # One step() is one step of the engine.
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        engine = _engine(ctx, folder)
        _answer(engine, "warm-up", inputs.PROMPTS[:1])
        engine.start_profile()
        steps = _answer(engine, "traced", inputs.PROMPTS)
        engine.stop_profile()
        traces = sorted(path for path in folder.iterdir() if ".pt.trace.json" in path.name)
        if not traces:
            raise Unsupported("vLLM's profiler wrote no trace")
        return _summarise(traces, steps, output_dir)


def _engine(ctx, folder):
    try:
        import vllm
    except ImportError as error:
        raise Unsupported("vLLM cannot be imported: %s" % error) from error
    wanted = ctx.config.get("architectures") or ()
    supported = set(vllm.ModelRegistry.get_supported_archs())
    if not supported.intersection(wanted):
        raise Unsupported("vLLM %s does not serve %s" % (vllm.__version__, ", ".join(wanted) or "a model without architectures"))
    options = ctx.options
    arguments = {"model": options.model_path, "tensor_parallel_size": options.tensor_parallel_size, "dtype": options.dtype,
                 "enforce_eager": True, "trust_remote_code": options.trust_remote_code}
    if "profiler_config" in {field.name for field in dataclasses.fields(vllm.EngineArgs)}:  # Since 0.13.
        from vllm.config import ProfilerConfig

        arguments["profiler_config"] = ProfilerConfig(profiler="torch", torch_profiler_dir=str(folder.resolve()),
                                                      torch_profiler_record_shapes=True)
    else:
        os.environ["VLLM_TORCH_PROFILER_DIR"] = str(folder.resolve())
        os.environ["VLLM_TORCH_PROFILER_RECORD_SHAPES"] = "1"
    engine = vllm.LLMEngine.from_engine_args(vllm.EngineArgs(**arguments))
    ctx.facts["dtype"] = options.dtype
    return engine


def _answer(engine, name, prompts):
    """Returns for each step how many tokens each request had before it and how many it got in it."""
    import torch
    from vllm import SamplingParams

    for number, prompt in enumerate(prompts):
        engine.add_request("%s-%d" % (name, number), prompt,
                           SamplingParams(temperature=0.0, max_tokens=_MAX_TOKENS, ignore_eos=True))
    tokens = collections.Counter()
    steps = []
    while engine.has_unfinished_requests():
        if len(steps) >= _MAX_STEPS:
            raise RuntimeError("the engine has not finished %d tokens per prompt in %d steps" % (_MAX_TOKENS, _MAX_STEPS))
        with torch.profiler.record_function(phases.STEP % len(steps)):
            answers = engine.step()
        first = further = 0
        for answer in answers:
            had, has = tokens[answer.request_id], len(answer.outputs[0].token_ids)
            tokens[answer.request_id] = has
            first += had == 0 and has > 0
            further += had > 0 and has > had
        steps.append(phases.phase_of_outputs(first, further))
    return steps


def _summarise(traces, steps, output_dir):
    operators = collections.defaultdict(lambda: {"count": 0, "cpu_time_total": 0.0})
    entries, ranks, counts, shapes = [], [], collections.Counter(), collections.defaultdict(set)
    for trace in traces:
        events = kernels.read(trace)
        own = kernels.extract(events)
        if len(traces) > 1:
            own = [dict(entry, trace=trace.name) for entry in own]
        entries += own
        counts += kernels.operator_counts(events)
        for name, seen in kernels.shapes(events).items():
            shapes[name] |= seen
        for event in events:
            if event.get("ph") == "X" and event.get("cat") == kernels.OPERATOR:
                operators[event["name"]]["count"] += 1
                operators[event["name"]]["cpu_time_total"] += event["dur"]
        ranks.append(dict(trace=trace.name, **phases.summarise(events, steps)))
    files.write_json(output_dir / "vllm_profile.json", operators)
    kernels.write(entries, counts, output_dir / "vllm_kernel_profile.json", output_dir / "vllm_kernel_profile.csv")
    files.write_json(output_dir / "vllm_phases.json", {"ranks": ranks})
    return kernels.operations(counts, shapes, entries)
