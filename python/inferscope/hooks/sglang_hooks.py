"""SGLang: tokenizer manager, scheduler, forward, detokenizer, start-up, requests, ranks.

Names of modules, classes and methods are those of SGLang 0.4 and 0.5; a COVERAGE record names methods that a version
lacks.
"""

from .. import _recorder
from .._hook import Hook
from .._pieces import relaying
from .._spool_format import LOAD, MODEL, PREPROCESSING, SERIALIZATION, TOKENIZATION
from .._requests import Request

_TOKENIZER = "sglang.srt.managers.tokenizer_manager"
_SCHEDULER = "sglang.srt.managers.scheduler"
_DETOKENIZER = "sglang.srt.managers.detokenizer_manager"
_RUNNER = "sglang.srt.model_executor.model_runner"


def completed_tokens(chunk):
    """The number of tokens so far, from an answer of generate_request."""
    meta = chunk.get("meta_info", {}) if isinstance(chunk, dict) else {}
    return int(meta.get("completion_tokens", 0) or 0)


def wrap_generate_request(original, hook, state):
    """TokenizerManager.generate_request(obj, request): an asynchronous generator of answers, of one request or a
    batch."""
    def begin(args, kwargs, frame):
        source = original(*args, **kwargs)
        if _recorder.current is None or not hasattr(source, "__anext__"):
            return source, None, None, None
        asked = kwargs.get("obj", args[1] if len(args) > 1 else None)
        ident = getattr(asked, "rid", "")
        request = Request("sglang.generate", ident if isinstance(ident, str) else "")
        state.recorded += 1

        def each(chunk):
            try:
                tokens = sum(map(completed_tokens, chunk)) if isinstance(chunk, list) else completed_tokens(chunk)
                request.answered(max(0, tokens - request.items))
            except Exception as error:
                state.failed(error)

        return source, None, each, request.end

    return relaying(begin)


def note_rank():
    """Notes the tensor-parallel rank: the argument of the name ``tp_rank``, at whose place a version without it may have another number."""
    def wrap(original, hook, state):
        code = getattr(original, "__code__", None)
        names = code.co_varnames[:code.co_argcount] if code else ()
        position = names.index("tp_rank") if "tp_rank" in names else -1
        role = "sglang scheduler" if "scheduler" in hook.path else "sglang detokenizer" if "detok" in hook.path else "sglang worker"

        def noted(*args, **kwargs):
            try:
                if _recorder.current is not None:
                    rank = kwargs.get("tp_rank", args[position] if 0 <= position < len(args) else None)
                    if isinstance(rank, int):
                        _recorder.current.note("rank", rank)
                    if role != "sglang worker":
                        _recorder.current.note("role", role)
            except Exception as error:
                state.failed(error)
            return original(*args, **kwargs)

        return noted

    return wrap


def _row(module, path, name, activity, group):
    return Hook(module, path, name, activity, group, optional=True)


HOOKS = (
    Hook(_TOKENIZER, "TokenizerManager.generate_request", wrap=wrap_generate_request, optional=True),
    _row(_TOKENIZER, "TokenizerManager._tokenize_one_request", "sglang.tokenize", TOKENIZATION, "tokenize"),
    _row(_TOKENIZER, "TokenizerManager._batch_tokenize_and_process", "sglang.tokenize", TOKENIZATION, "tokenize"),
    _row(_TOKENIZER, "TokenizerManager._handle_batch_output", "sglang.answer", SERIALIZATION, "sglang.answer"),
    Hook(_SCHEDULER, "run_scheduler_process", wrap=note_rank(), optional=True),
    _row(_SCHEDULER, "Scheduler.recv_requests", "sglang.receive", 0, "sglang.receive"),
    _row("sglang.srt.managers.scheduler_components.request_receiver", "SchedulerRequestReceiver.recv_requests", "sglang.receive", 0, "sglang.receive"),
    _row(_SCHEDULER, "Scheduler.process_input_requests", "sglang.process inputs", PREPROCESSING, "sglang.inputs"),
    _row(_SCHEDULER, "Scheduler.get_next_batch_to_run", "sglang.schedule", 0, "sglang.schedule"),
    _row(_SCHEDULER, "Scheduler.run_batch", "sglang.forward", MODEL, "sglang.forward"),
    _row(_SCHEDULER, "Scheduler.process_batch_result", "sglang.process results", SERIALIZATION, "sglang.results"),
    _row("sglang.srt.managers.tp_worker", "TpModelWorker.forward_batch_generation", "sglang.forward", MODEL, "sglang.forward"),
    Hook("sglang.srt.managers.tp_worker", "TpModelWorker.__init__", wrap=note_rank(), optional=True),
    _row(_RUNNER, "ModelRunner.forward", "sglang.model forward", MODEL, "sglang.model"),
    _row(_RUNNER, "ModelRunner.sample", "sglang.sample", MODEL, "sglang.sample"),
    _row(_RUNNER, "ModelRunner.load_model", "sglang.load model", LOAD, "sglang.load"),
    _row(_RUNNER, "ModelRunner.init_memory_pool", "sglang.load memory pool", LOAD, "sglang.load"),
    _row(_RUNNER, "ModelRunner.alloc_memory_pool", "sglang.load memory pool", LOAD, "sglang.load"),
    _row("sglang.srt.model_executor.cuda_graph_runner", "CudaGraphRunner.capture", "sglang.capture graphs", LOAD, "sglang.load"),
    _row("sglang.srt.model_executor.runner.decode_cuda_graph_runner", "DecodeCudaGraphRunner.capture", "sglang.capture graphs", LOAD, "sglang.load"),
    _row("sglang.srt.model_executor.runner.prefill_cuda_graph_runner", "PrefillCudaGraphRunner.capture", "sglang.capture graphs", LOAD, "sglang.load"),
    Hook(_DETOKENIZER, "run_detokenizer_process", wrap=note_rank(), optional=True),
    _row(_DETOKENIZER, "DetokenizerManager.handle_batch_token_id_out", "sglang.detokenize", SERIALIZATION, "detokenize"),
)
