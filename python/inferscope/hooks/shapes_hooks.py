"""PyTorch, for the shape recorder: forward passes, compiled code, CUDA graphs.

A forward pass is the outermost call of a module on a thread; in the worker of an engine, what the engine calls one.
"""

from functools import update_wrapper

from .._hook import Hook
from ..shapes import current, unseen
from ..shapes.current import DECODE, FIRST, PREFILL, thread
from ..shapes.passes import forward_pass
from .torch_hooks import frame_skipper, skip_own_frames


def cached_tokens(cache):
    """Positions already in a cache of keys and values, by shapes alone; None when that cannot be told without running
    operators."""
    if type(cache).__name__ == "DynamicCache":
        return int(cache.get_seq_length())
    if isinstance(cache, (tuple, list)) and cache and isinstance(cache[0], (tuple, list)):
        return int(cache[0][0].shape[-2])
    return None


def module_stage(module, args, kwargs):
    """(rank, marker, its reason) of a module call: what generate says, else what the cache that is passed says, else
    nothing."""
    if "past_key_values" not in kwargs and thread.stage != PREFILL:
        return None, None, None
    if thread.generating:
        stage = PREFILL if thread.stage else DECODE
        if thread.stage == FIRST:
            thread.stage = None
        return None, stage, "generate"
    return (None,) + _stage_by_cache(kwargs.get("past_key_values"), kwargs.get("input_ids", args[0] if args else None), kwargs)


def _stage_by_cache(cache, ids, kwargs):
    if cache is None:
        return (PREFILL, "no cache yet") if kwargs.get("use_cache") else (None, None)
    cached, new = cached_tokens(cache), getattr(ids, "shape", (0,))[-1]
    if cached is None:
        return None, None
    return (PREFILL, "%d tokens after %d" % (new, cached)) if not cached or new > 1 else (DECODE, "1 token after %d" % cached)


def wrap_optimize(original, hook, state):
    """OptimizeContext.__call__ makes the function that runs compiled code; the recorder steps aside around each call of
    that.

    Its enter_exit_hooks will not do: they run where the keys of the dispatcher are put back afterwards, a mode entered
    there is not asked.
    """
    def __call__(self, *args, **kwargs):
        made = original(self, *args, **kwargs)
        try:
            return stepping_aside(made) if type(made) is type(stepping_aside) else made
        except Exception as error:
            state.failed(error)
            return made

    return __call__


def stepping_aside(compiled):
    def run_compiled(*args, **kwargs):
        resume = unseen.pause()
        try:
            return compiled(*args, **kwargs)
        finally:
            resume()

    update_wrapper(run_compiled, compiled)
    if hasattr(compiled, "_torchdynamo_wrapper_id"):
        run_compiled._torchdynamo_wrapper_id = id(run_compiled)
    return run_compiled


def wrap_compiled(original, hook, state):
    """What runs compiled code, for programs that call it past torch.compile's function: vLLM, and models that were compiled
    ahead of time."""
    return stepping_aside(original)


def wrap_guard_exit(original, hook, state):
    """inference_mode.__exit__ puts the thread's dispatch keys back: a mode that was entered under it would stay on the
    stack, and neither it nor a mode of the program's after it be asked any more. The recorder steps out of the way and
    comes back."""
    def __exit__(self, *args):
        resume = None
        try:
            place = thread.place
            resume = place.enter if place is not None and place.leave() else None
        except Exception as error:
            state.failed(error)
        try:
            return original(self, *args)
        finally:
            if resume is not None:
                try:
                    resume()
                except Exception as error:
                    state.failed(error)

    return __exit__


def _graph_number(graph):
    number = getattr(graph, "_inferscope_graph", None)
    if number is None:
        number = graph._inferscope_graph = current.recording.next_graph()
    return number


def wrap_capture_begin(original, hook, state):
    """Operators run while a graph is captured, and never again: their shapes are recorded before the first forward pass
    as well."""
    def capture_begin(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        try:
            self._inferscope_place = unseen.begin_capture(current.recording, _graph_number(self))
        except Exception as error:
            state.failed(error)
        return result

    return capture_begin


def wrap_capture_end(original, hook, state):
    def capture_end(self, *args, **kwargs):
        try:
            unseen.end_capture(current.recording, _graph_number(self), self.__dict__.pop("_inferscope_place", None))
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return capture_end


def wrap_replay(original, hook, state):
    def replay(self, *args, **kwargs):
        try:
            unseen.replayed(_graph_number(self))
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return replay


def _row(module, path, wrap, optional=False):
    return Hook(module, path, wrap=wrap, optional=optional, purpose="shapes")


HOOKS = (
    _row("torch", "nn.Module.__call__", forward_pass(module_stage)),
    _row("torch.autograd.grad_mode", "inference_mode.__exit__", wrap_guard_exit),
    _row("torch._dynamo.eval_frame", "OptimizeContext.__call__", wrap_optimize),
    _row("torch._inductor.output_code", "CompiledFxGraph.__call__", wrap_compiled, optional=True),
    _row("torch._inductor.codecache", "CompiledFxGraph.__call__", wrap_compiled, optional=True),
    _row("torch.export.pt2_archive._package", "AOTICompiledModel.__call__", wrap_compiled, optional=True),
    _row("torch._inductor.package.package", "AOTICompiledModel.__call__", wrap_compiled, optional=True),
    _row("torch.cuda.graphs", "CUDAGraph.capture_begin", wrap_capture_begin, optional=True),
    _row("torch.cuda.graphs", "CUDAGraph.capture_end", wrap_capture_end, optional=True),
    _row("torch.cuda.graphs", "CUDAGraph.replay", wrap_replay, optional=True),
)


def after_import(torch):
    """Keeps torch.compile out of the recorder's own frames, all of which are loaded by now."""
    current.recording.handle_signals()
    try:
        skip_own_frames(frame_skipper(torch._C._dynamo.eval_frame))
    except AttributeError:
        pass
