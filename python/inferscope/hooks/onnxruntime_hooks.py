"""ONNX Runtime: session creation and runs."""

import os
import sys
from time import monotonic_ns, time_ns

from .. import _recorder
from .._hook import Hook
from .._same import same_of
from .._spool_format import LOAD, MODEL

_MODULE = "onnxruntime.capi.onnxruntime_inference_collection"


PROFILE = "onnxruntime profile"  # As OnnxRuntimeImporter has it.


def note_session(result, args, kwargs):
    """Notes the execution providers of a new session, and those that the build offers. A session that cannot load a library of its
    first provider takes the next. Marks from when the session's own profile counts, so that both can be put on one timeline."""
    _recorder.current.note("onnxruntime.providers", ", ".join(args[0].get_providers()))
    _recorder.current.note("onnxruntime.providers.offered", ", ".join(sys.modules["onnxruntime"].get_available_providers()))
    options = args[0].get_session_options()
    if options.enable_profiling:
        name = "%s %s" % (PROFILE, os.path.basename(options.profile_file_prefix))
        age_ns = time_ns() - args[0].get_profiling_start_time_ns()
        _recorder.current.mark(name, "", 0, monotonic_ns() - age_ns)
    return 0


HOOKS = (
    Hook(_MODULE, "InferenceSession.__init__", "InferenceSession", LOAD, "onnxruntime.load", note_session,
         same_of(1, "path_or_bytes")),
    Hook(_MODULE, "InferenceSession.run", "InferenceSession.run", MODEL, "onnxruntime.run"),
    Hook(_MODULE, "InferenceSession.run_with_iobinding", "InferenceSession.run_with_iobinding", MODEL, "onnxruntime.run",
         optional=True),
)
