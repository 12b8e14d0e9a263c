"""ONNX Runtime: session creation and runs."""

from .._hook import Hook
from .._spool_format import LOAD, MODEL

_MODULE = "onnxruntime.capi.onnxruntime_inference_collection"

HOOKS = (
    Hook(_MODULE, "InferenceSession.__init__", "InferenceSession", LOAD, "onnxruntime.load"),
    Hook(_MODULE, "InferenceSession.run", "InferenceSession.run", MODEL, "onnxruntime.run"),
    Hook(_MODULE, "InferenceSession.run_with_iobinding", "InferenceSession.run_with_iobinding", MODEL, "onnxruntime.run",
         optional=True),
)
