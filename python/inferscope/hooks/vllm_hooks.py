"""vLLM, engine versions 0 and 1: scheduling, forward, sampling, tokenization, detokenisation, start-up, requests,
ranks; hand-overs through the shared memory between engine core and workers.

Names of modules, classes and methods are those of vLLM 0.6 to 0.32; each version has some of them. Values: tokens
scheduled.
"""

import sys
from time import monotonic_ns

from .. import _recorder
from .._handover import ZMQ_KEY, give, number_of, take
from .._hook import Hook
from .._pieces import relaying
from .._spool_format import LOAD, MODEL, PREPROCESSING, SERIALIZATION, SOCKET, TOKENIZATION
from .._requests import Request
from .._signals import pass_on

_QUEUE = "vllm.distributed.device_communicators.shm_broadcast"
_CORE, _WORKER, _RUNNER = "vllm.v1.engine.core", "vllm.v1.worker.gpu_worker", "vllm.v1.worker.gpu_model_runner"


def scheduled_tokens(result, args, kwargs):
    return int(getattr(result, "total_num_scheduled_tokens", 0) or 0)


def output_tokens(output):
    """Tokens of the answer in one output object."""
    return sum(len(getattr(one, "token_ids", ())) for one in getattr(output, "outputs", ()))


class _Progress:
    """Follows the outputs of one request. Each contains all tokens so far or, with ``delta``, only the new ones."""

    def __init__(self, ident, delta):
        self.request, self.delta, self.last = Request("vllm.generate", str(ident)), delta, 0

    def see(self, output):
        try:
            tokens = output_tokens(output)
            new = tokens if self.delta else tokens - self.last
            self.last = tokens
            if new > 0:
                self.request.answered(new)
        except Exception as error:
            pass_on(error)


def _asks_for_delta(args, kwargs):
    """Whether the sampling parameters request new tokens only (RequestOutputKind.DELTA)."""
    return any(getattr(getattr(one, "output_kind", None), "name", "") == "DELTA" for one in (*args, *kwargs.values()))


def _request_id(args, kwargs, position):
    return kwargs.get("request_id", args[position] if len(args) > position else "")


def wrap_generate(original, hook, state):
    """AsyncLLM.generate(prompt, sampling_params, request_id): an asynchronous generator of outputs."""
    def begin(args, kwargs, frame):
        source = original(*args, **kwargs)
        if _recorder.current is None or not hasattr(source, "__anext__"):
            return source, None, None, None
        progress = _Progress(_request_id(args, kwargs, 3), _asks_for_delta(args, kwargs))
        state.recorded += 1
        return source, None, progress.see, progress.request.end

    return relaying(begin)


_offline = {}


def wrap_add_request(original, hook, state):
    """LLMEngine.add_request(request_id, ...), behind LLM.generate."""
    def add_request(self, *args, **kwargs):
        try:
            ident = str(_request_id(args, kwargs, 0))
            if _recorder.current is not None and len(_offline) < 100000:
                _offline[id(self), ident] = _Progress(ident, _asks_for_delta(args, kwargs))
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return add_request


def wrap_step(original, hook, state):
    """LLMEngine.step: the outputs of one step, each of which may end its request."""
    def step(self, *args, **kwargs):
        outputs = original(self, *args, **kwargs)
        try:
            for output in outputs if _offline else ():
                key = id(self), str(getattr(output, "request_id", ""))
                progress = _offline.get(key)
                if progress is not None:
                    progress.see(output)
                    if getattr(output, "finished", False):
                        _offline.pop(key).request.end()
        except Exception as error:
            state.failed(error)
        return outputs

    return step


_roles = []  # of this process


def _note_role(role):
    """A process can be several things: with one worker, some versions run it inside the engine core."""
    if _recorder.current is None:
        return
    if _roles[:1] != [_recorder.current.pid]:  # The roles of the process that this one was forked from are not its own.
        _roles[:] = [_recorder.current.pid]
    if role not in _roles:
        _roles.append(role)
    _recorder.current.note("role", "vllm " + " and ".join(sorted(_roles[1:])))


def wrap_worker_init(original, hook, state):
    """Worker(vllm_config, local_rank, rank, ...)."""
    def __init__(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        try:
            for name in ("rank", "local_rank"):
                if _recorder.current is not None and getattr(self, name, None) is not None:
                    _recorder.current.note(name, getattr(self, name))
            _note_role("worker")
        except Exception as error:
            state.failed(error)
        return result

    return __init__


def _wrap_init(role):
    """Notes the role of the process that constructs an object."""
    def wrap(original, hook, state):
        def __init__(self, *args, **kwargs):
            try:
                _note_role(role)
            except Exception as error:
                state.failed(error)
            return original(self, *args, **kwargs)

        return __init__

    return wrap


def _queue_key(queue):
    """A MessageQueue's key on both sides: the name of its shared memory; None without one."""
    memory = getattr(getattr(queue, "buffer", None), "shared_memory", None)
    return None if memory is None else ZMQ_KEY ^ 1 << 56 ^ number_of(memory.name.strip("/").encode())


def wrap_enqueue(original, hook, state):
    """MessageQueue.enqueue: a broadcast to all readers of the shared memory, which poll."""
    def enqueue(self, *args, **kwargs):
        try:
            key = _recorder.current is not None and _queue_key(self)
            if key:
                give(SOCKET, "shared memory", key, 0, sys._getframe().f_back)
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return enqueue


def wrap_dequeue(original, hook, state):
    def dequeue(self, *args, **kwargs):
        began_ns = monotonic_ns()
        taken = original(self, *args, **kwargs)
        try:
            key = _recorder.current is not None and _queue_key(self)
            if key:
                take(SOCKET, "shared memory", key, 0, began_ns, sys._getframe().f_back)
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        return taken

    return dequeue


def _row(module, path, name, activity, group, value=None):
    return Hook(module, path, name, activity, group, value, optional=True)


HOOKS = (
    _row(_CORE, "EngineCore.step", "vllm.step", 0, "vllm.step"),
    _row(_CORE, "EngineCore.step_with_batch_queue", "vllm.step", 0, "vllm.step"),
    _row(_CORE, "EngineCore.add_request", "vllm.add_request", PREPROCESSING, "vllm.add"),
    _row(_CORE, "EngineCore._initialize_kv_caches", "vllm.load kv cache", LOAD, "vllm.load"),
    Hook(_CORE, "EngineCoreProc.__init__", wrap=_wrap_init("engine core"), optional=True),
    Hook(_QUEUE, "MessageQueue.enqueue", wrap=wrap_enqueue, optional=True),
    Hook(_QUEUE, "MessageQueue.dequeue", wrap=wrap_dequeue, optional=True),
    _row("vllm.v1.core.sched.scheduler", "Scheduler.schedule", "vllm.schedule", 0, "vllm.schedule", scheduled_tokens),
    _row("vllm.v1.core.sched.scheduler", "Scheduler.update_from_output", "vllm.update", 0, "vllm.update"),
    _row("vllm.v1.structured_output", "StructuredOutputManager.grammar_bitmask", "vllm.grammar", 0, "vllm.grammar"),
    Hook(_WORKER, "Worker.__init__", wrap=wrap_worker_init, optional=True),
    _row(_WORKER, "Worker.load_model", "vllm.load model", LOAD, "vllm.load"),
    _row(_WORKER, "Worker.determine_available_memory", "vllm.load profile run", LOAD, "vllm.load"),
    _row(_WORKER, "Worker.compile_or_warm_up_model", "vllm.compile and warm-up", LOAD, "vllm.load"),
    _row(_WORKER, "Worker.execute_model", "vllm.forward", MODEL, "vllm.forward"),
    _row(_RUNNER, "GPUModelRunner._prepare_inputs", "vllm.prepare inputs", PREPROCESSING, "vllm.prepare"),
    _row(_RUNNER, "GPUModelRunner.execute_model", "vllm.forward", MODEL, "vllm.forward"),
    _row(_RUNNER, "GPUModelRunner.sample_tokens", "vllm.sample", MODEL, "vllm.sample"),
    _row(_RUNNER, "GPUModelRunner._sample", "vllm.sample", MODEL, "vllm.sample"),
    _row(_RUNNER, "GPUModelRunner.capture_model", "vllm.capture graphs", LOAD, "vllm.load"),
    _row("vllm.v1.engine.processor", "Processor.process_inputs", "vllm.process inputs", TOKENIZATION, "vllm.inputs"),
    _row("vllm.v1.engine.input_processor", "InputProcessor.process_inputs", "vllm.process inputs", TOKENIZATION, "vllm.inputs"),
    _row("vllm.v1.engine.output_processor", "OutputProcessor.process_outputs", "vllm.process outputs", SERIALIZATION, "vllm.outputs"),
    _row("vllm.v1.engine.detokenizer", "BaseIncrementalDetokenizer.update", "vllm.detokenize", SERIALIZATION, "vllm.detokenize"),
    Hook("vllm.v1.engine.async_llm", "AsyncLLM.__init__", wrap=_wrap_init("API server"), optional=True),
    Hook("vllm.v1.engine.async_llm", "AsyncLLM.generate", wrap=wrap_generate, optional=True),
    Hook("vllm.v1.engine.llm_engine", "LLMEngine.add_request", wrap=wrap_add_request, optional=True),
    Hook("vllm.v1.engine.llm_engine", "LLMEngine.step", wrap=wrap_step, optional=True),
    Hook("vllm.engine.llm_engine", "LLMEngine.add_request", wrap=wrap_add_request, optional=True),
    Hook("vllm.engine.llm_engine", "LLMEngine.step", wrap=wrap_step, optional=True),
    _row("vllm.core.scheduler", "Scheduler.schedule", "vllm.schedule", 0, "vllm.schedule"),
    _row("vllm.worker.worker_base", "LocalOrDistributedWorkerBase.execute_model", "vllm.forward", MODEL, "vllm.forward"),
    _row("vllm.transformers_utils.detokenizer", "Detokenizer.decode_sequence_inplace", "vllm.detokenize", SERIALIZATION, "vllm.detokenize"),
    _row("vllm.entrypoints.llm", "LLM.__init__", "vllm.load", LOAD, "vllm.load"),
    _row("vllm.entrypoints.llm", "LLM.generate", "vllm.LLM.generate", MODEL, "vllm.generate"),
)
