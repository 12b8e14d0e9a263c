"""Compilation: torch.compile (Dynamo and Inductor), Triton kernels and their autotuning, C++ extensions.

Of nested stages the outermost is recorded, so that a compilation counts once. torch.jit.script reads its caller's
frame and must not be wrapped.
"""

from .._hook import Hook
from .._spool_format import LOAD

GROUP = "compile"


def frame_name(args, kwargs):
    code = args[0] if args else kwargs.get("code")
    return "torch.compile %s" % getattr(code, "co_name", "")


def kernel_name(args, kwargs):
    function = getattr(args[0], "fn", None) if args else None
    return "triton compile %s" % getattr(function, "__name__", "")


def _row(module, path, name):
    return Hook(module, path, name, LOAD, GROUP, optional=True)


HOOKS = (
    _row("torch._dynamo.convert_frame", "_compile", frame_name),
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
