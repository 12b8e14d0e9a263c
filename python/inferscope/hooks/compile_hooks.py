"""Compilation: torch.compile (Dynamo and Inductor), Triton kernels and their autotuning, C++ extensions.

Of nested stages the outermost is recorded, so that a compilation counts once. torch.jit.script reads its caller's
frame and must not be wrapped.
"""

import sys

from .._hook import Hook
from .._spool_format import LOAD

GROUP = "compile"

# Of the arguments that a function is compiled for, and of the text about them.
MOST_ARGUMENTS, MOST_LETTERS = 6, 160


def frame_name(args, kwargs):
    code = args[0] if args else kwargs.get("code")
    return "torch.compile %s" % getattr(code, "co_name", "")


def compiled_for(args, kwargs):
    """Tensors among the function's arguments with their shapes and types, numbers and flags: what the compiled code is
    valid for. Texts are left out: they may be private."""
    values = args[2] if len(args) > 2 else kwargs.get("locals")
    if type(values) is not dict:
        return "unknown"
    tensor = sys.modules["torch"].Tensor
    parts = []
    for name, value in values.items():
        if isinstance(value, tensor):
            parts.append("%s %s %s" % (name, list(value.shape), str(value.dtype).replace("torch.", "")))
        elif type(value) in (int, float, bool):
            parts.append("%s=%s" % (name, value))
    text = ", ".join(parts[:MOST_ARGUMENTS])
    return text[:MOST_LETTERS] or "no tensors"


def kernel_name(args, kwargs):
    function = getattr(args[0], "fn", None) if args else None
    return "triton compile %s" % getattr(function, "__name__", "")


def _row(module, path, name, when=None):
    return Hook(module, path, name, LOAD, GROUP, when=when, optional=True)


HOOKS = (
    _row("torch._dynamo.convert_frame", "_compile", frame_name, compiled_for),
    _row("torch._inductor.compile_fx", "compile_fx_inner", "torch.compile inductor"),
    _row("torch._inductor.compile_fx", "compile_fx", "torch.compile inductor"),
    _row("torch._functorch.aot_autograd", "aot_module_simplified", "torch.compile autograd"),
    _row("torch._inductor.async_compile", "AsyncCompile.wait", "torch.compile wait for kernels"),
    _row("torch._inductor.select_algorithm", "AlgorithmSelectorCache.__call__", "torch.compile autotune"),
    _row("triton.compiler.compiler", "compile", kernel_name),
    _row("torch.utils.cpp_extension", "load", "torch extension build"),
    _row("torch.utils.cpp_extension", "load_inline", "torch extension build"),
    _row("torch.export", "export", "torch.export"),
)
