"""OpenVINO 2025 and 2026: loading and compiling models, and inference, synchronous or through a queue of requests."""

from .._hook import Hook
from .._spool_format import LOAD, MODEL

_API = "openvino._ov_api"


def _run(path):
    return Hook(_API, path, path, MODEL, "openvino.run", optional=True)


def _load(path):
    return Hook(_API, path, path, LOAD, "openvino.load")


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
)
