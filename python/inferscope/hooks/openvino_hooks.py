"""OpenVINO 2025 and 2026: loading and compiling models, and inference, synchronous or through a queue of requests; OpenVINO GenAI."""

from .._hook import Hook
from .._same import same_of
from .._spool_format import LOAD, MODEL

_API = "openvino._ov_api"
_GENAI = "openvino_genai.py_openvino_genai"


def _run(path, module=_API):
    return Hook(module, path, path, MODEL, "openvino.run", optional=True)


def _load(path):
    return Hook(_API, path, path, LOAD, "openvino.load")


def _open(name):
    return Hook(_GENAI, name + ".__init__", name, LOAD, "openvino.load", when=same_of(1, "models_path"), optional=True)


HOOKS = (
    _run("CompiledModel.__call__"),
    _run("CompiledModel.infer_new_request"),
    _run("InferRequest.infer"),
    _run("InferRequest.wait"),
    _run("AsyncInferQueue.start_async"),
    _run("AsyncInferQueue.wait_all"),
    _load("Core.read_model"),
    _load("Core.compile_model"),
    _load("Core.import_model"),
    _open("LLMPipeline"),
    _open("VLMPipeline"),
    _open("WhisperPipeline"),
    _open("TextEmbeddingPipeline"),
    _open("ContinuousBatchingPipeline"),
    _run("LLMPipeline.generate", _GENAI),
    _run("VLMPipeline.generate", _GENAI),
    _run("WhisperPipeline.generate", _GENAI),
    _run("TextEmbeddingPipeline.embed_documents", _GENAI),
    _run("TextEmbeddingPipeline.embed_query", _GENAI),
    _run("ContinuousBatchingPipeline.generate", _GENAI),
    _run("ContinuousBatchingPipeline.step", _GENAI),
)
