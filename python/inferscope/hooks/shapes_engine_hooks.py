"""Engines, for the shape recorder: their ranks, their forward passes, and whether a pass is prefill or decode, as
stated by the engine.

Names of modules, classes and methods as of SGLang 0.4 and 0.5, vLLM 0.6 to 0.32, transformers 4 and 5; each version has
some of them.
"""

from .._hook import Hook
from ..shapes import current
from ..shapes.current import DECODE, FIRST, PREFILL, thread
from ..shapes.passes import forward_pass

_VLLM = "vllm.v1.worker.gpu_worker"


def sglang_stage(runner, args, kwargs):
    """(rank, marker, mode) by ForwardBatch.forward_mode: is_decode, is_extend, and neither of them for a batch without
    requests."""
    batch = kwargs.get("forward_batch", args[0] if args else None)
    mode = getattr(batch, "forward_mode", None)
    marker = None if mode is None else DECODE if mode.is_decode() else PREFILL if mode.is_extend() else None
    return getattr(runner, "tp_rank", None), marker, getattr(mode, "name", None)


def vllm_stage(worker, args, kwargs):
    """(rank, marker, mode) by the scheduler's output: a request is in prefill while tokens of its prompt are not
    computed."""
    output = kwargs.get("scheduler_output", args[0] if args else None)
    rank = getattr(worker, "rank", None)
    scheduled = getattr(output, "num_scheduled_tokens", None)
    if not scheduled:
        return rank, None, None
    prefilling = len(getattr(output, "scheduled_new_reqs", ())) + _resuming(output) + _in_prompt(worker, output)
    decoding = len(scheduled) - prefilling
    mode = "prefill" if decoding <= 0 else "decode" if not prefilling else "mixed"
    return rank, PREFILL if prefilling else DECODE, mode


def _resuming(output):
    """Preempted requests that are computed again. vLLM 0.12 has both names, and warns of the older one."""
    cached = getattr(output, "scheduled_cached_reqs", None)
    known = getattr(cached, "resumed_req_ids", None)
    return len(known) if known is not None else sum(map(bool, getattr(cached, "resumed_from_preemption", ())))


def _in_prompt(worker, output):
    """Known requests whose prompt is not computed completely yet (chunked prefill)."""
    cached = getattr(output, "scheduled_cached_reqs", None)
    known = getattr(getattr(worker, "model_runner", None), "requests", {})
    count = 0
    for ident, computed in zip(getattr(cached, "req_ids", ()), getattr(cached, "num_computed_tokens", ())):
        prompt = getattr(known.get(ident), "num_prompt_tokens", None)
        if prompt is None:
            prompt = len(getattr(known.get(ident), "prompt_token_ids", None) or ())
        count += computed < prompt
    return count


def wrap_worker(original, hook, state):
    """The constructor of a worker that knows its rank."""
    def __init__(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        try:
            for name in ("tp_rank", "rank", "local_rank"):
                if isinstance(getattr(self, name, None), int):
                    current.recording.engine_rank = getattr(self, name)
                    break
        except Exception as error:
            state.failed(error)
        return result

    return __init__


def wrap_generate(original, hook, state):
    """GenerationMixin.generate: passes outside of its own prefill are decoding."""
    def generate(self, *args, **kwargs):
        before = thread.generating, thread.stage
        thread.generating, thread.stage = True, None if hasattr(type(self), "_prefill") else FIRST
        try:
            return original(self, *args, **kwargs)
        finally:
            thread.generating, thread.stage = before

    return generate


def wrap_prefill(original, hook, state):
    def _prefill(self, *args, **kwargs):
        before, thread.stage = thread.stage, PREFILL
        try:
            return original(self, *args, **kwargs)
        finally:
            thread.stage = before

    return _prefill


def _row(module, path, wrap):
    return Hook(module, path, wrap=wrap, optional=True, purpose="shapes")


HOOKS = (
    _row("sglang.srt.model_executor.model_runner", "ModelRunner.forward", forward_pass(sglang_stage, of_engine=True)),
    _row("sglang.srt.model_executor.model_runner", "ModelRunner.__init__", wrap_worker),
    _row("sglang.srt.managers.tp_worker", "TpModelWorker.__init__", wrap_worker),
    _row("sglang.multimodal_gen.runtime.managers.gpu_worker", "GPUWorker.__init__", wrap_worker),
    _row(_VLLM, "Worker.execute_model", forward_pass(vllm_stage, of_engine=True)),
    _row(_VLLM, "Worker.__init__", wrap_worker),
    _row("vllm.worker.worker", "Worker.__init__", wrap_worker),
    _row("transformers.generation.utils", "GenerationMixin.generate", wrap_generate),
    _row("transformers.generation.utils", "GenerationMixin._prefill", wrap_prefill),
)
