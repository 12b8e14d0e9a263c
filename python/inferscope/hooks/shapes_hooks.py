"""PyTorch, for the shape recorder: forward passes, compiled code, CUDA graphs.

A forward pass is the outermost call of a module on a thread; in an engine's worker, a step of the engine.
"""

from functools import update_wrapper

from .._hook import Hook
from ..shapes import current, unseen
from ..shapes.current import DECODE, FIRST, PREFILL, thread
from ..shapes.passes import forward_pass
from .torch_hooks import frame_skipper, skip_own_frames


def cached_tokens(cache):
    """Positions already in a cache of keys and values, by shapes only; None if that is not known without running
    operators."""
    if type(cache).__name__ == "DynamicCache":
        return int(cache.get_seq_length())
    if isinstance(cache, (tuple, list)) and cache and isinstance(cache[0], (tuple, list)):
        return int(cache[0][0].shape[-2])
    return None


def module_stage(module, args, kwargs):
    """(rank, marker, its reason) of a module call: from generate, otherwise from the passed cache, otherwise empty."""
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
    """OptimizeContext.__call__ makes the function that runs compiled code. The recorder's mode is left during each call
    of that function.

    Its enter_exit_hooks are not suitable: they run before the dispatcher's keys are restored, so a mode entered there
    would not be called.
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
    """Functions that run compiled code, for programs that bypass torch.compile's function: vLLM, and models compiled
    ahead of time."""
    return stepping_aside(original)


def wrap_guard_exit(original, hook, state):
    """inference_mode.__exit__ restores the thread's dispatch keys. A mode that was entered inside it would stay on the
    stack, and neither it nor later modes of the program would be called. So the recorder's mode is left before and
    entered again after."""
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
    """Operators run only while a graph is captured, so their shapes are recorded even before the first forward pass."""
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
    """Excludes the recorder's own frames, all of which are loaded by now, from torch.compile."""
    current.recording.handle_signals()
    try:
        skip_own_frames(frame_skipper(torch._C._dynamo.eval_frame))
    except AttributeError:
        pass
