"""ONNX Runtime: session creation and runs."""

import sys

from .. import _recorder
from .._hook import Hook
from .._same import same_of
from .._spool_format import LOAD, MODEL

_MODULE = "onnxruntime.capi.onnxruntime_inference_collection"


def note_providers(result, args, kwargs):
    """Notes the execution providers of a new session, and those that the build offers. A session that cannot load a library of its
    first provider takes the next."""
    _recorder.current.note("onnxruntime.providers", ", ".join(args[0].get_providers()))
    _recorder.current.note("onnxruntime.providers.offered", ", ".join(sys.modules["onnxruntime"].get_available_providers()))
    return 0


HOOKS = (
    Hook(_MODULE, "InferenceSession.__init__", "InferenceSession", LOAD, "onnxruntime.load", note_providers,
         same_of(1, "path_or_bytes")),
    Hook(_MODULE, "InferenceSession.run", "InferenceSession.run", MODEL, "onnxruntime.run"),
    Hook(_MODULE, "InferenceSession.run_with_iobinding", "InferenceSession.run_with_iobinding", MODEL, "onnxruntime.run",
         optional=True),
)
