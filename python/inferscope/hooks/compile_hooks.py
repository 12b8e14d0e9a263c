"""Compilation: torch.compile (Dynamo and Inductor), jax.jit, tf.function, Triton kernels and their autotuning, C++
extensions.

Only the outermost of nested stages is recorded, so that a compilation counts once. torch.jit.script reads its caller's
frame and must not be wrapped.
"""

import sys

from .._hook import Hook
from .._signals import pass_on
from .._spool_format import LOAD
from .._where import user_file

GROUP = "compile"

# Limits for the number of arguments, and for the text about them.
MOST_ARGUMENTS, MOST_LETTERS = 6, 160


def frame_name(args, kwargs):
    code = args[0] if args else kwargs.get("code")
    return "torch.compile %s" % getattr(code, "co_name", "")


def compiled_for(args, kwargs):
    """The arguments for which the compiled code is valid: tensors with their shapes and types, numbers and flags; a
    blank for none. Texts are left out, because they may be private."""
    values = args[2] if len(args) > 2 else kwargs.get("locals")
    return _described(values if type(values) is dict else {})


def _described(values):
    parts = []
    for name, value in values.items():
        _describe(parts, str(name), value)
    text = ", ".join(parts[:MOST_ARGUMENTS])
    if len(parts) > MOST_ARGUMENTS or len(text) > MOST_LETTERS:
        text = text[:MOST_LETTERS] + " ..."
    return text or " "


def _describe(parts, name, value, depth=0):
    kind = type(value)
    if len(parts) > MOST_ARGUMENTS:
        return
    if kind in (int, float, bool):
        parts.append("%s=%s" % (name, value))
    elif kind is dict and depth == 0:
        for key, inner in value.items():
            _describe(parts, "%s[%s]" % (name, key if type(key) in (int, str) else "?"), inner, 1)
    elif kind in (list, tuple) and depth == 0:
        for index, inner in enumerate(value):
            _describe(parts, "%s[%d]" % (name, index), inner, 1)
    elif hasattr(kind, "shape") and hasattr(kind, "dtype"):
        try:
            parts.append("%s %s %s" % (name, list(value.shape), getattr(value.dtype, "name", str(value.dtype).replace("torch.", ""))))
        except Exception as error:  # Nested tensors have no shape, and subclasses may refuse.
            pass_on(error)
            parts.append("%s ?" % name)


def break_place(args, kwargs):
    """Where and why Dynamo ends a graph: ``file:line function``, and on a second line the beginning of the reason; "" for a
    break that was told before. The place is the innermost line of the program's own code, or else the innermost of all."""
    error = args[3] if len(args) > 3 else kwargs.get("exc")
    if getattr(error, "logged", False):
        return ""
    stack = getattr(error, "real_stack", None) or sys.modules["torch"]._guards.TracingContext.extract_stack()
    own = [frame for frame in stack if user_file(frame.filename)] or list(stack)
    frame = own[-1]
    name = user_file(frame.filename) or frame.filename.rpartition("-packages/")[2]
    function = frame.name.partition("torch_dynamo_resume_in_")[2].rpartition("_at_")[0] or frame.name
    given = str(args[2] if len(args) > 2 else kwargs.get("reason", "")).strip()
    reason = str(error if error is not None else given).strip().partition("\n")[0][:MOST_LETTERS]
    end = "; the whole function runs uncompiled" if "falling back to eager" in given else ""
    return "%s:%d %s\n%s%s" % (name, frame.lineno, function, reason, end)


def module_name(args, kwargs):
    """The function of a program of XLA, which JAX names jit_FUNCTION."""
    name = str(_module(args, kwargs).operation.attributes["sym_name"]).strip('"')
    return "jax.jit %s" % (name[4:] if name.startswith("jit_") else name)


def module_for(args, kwargs):
    """The shapes and types of the arguments, as MLIR writes them; a blank if they are not found."""
    try:
        for operation in _module(args, kwargs).body.operations:
            if str(operation.attributes["sym_name"]) == '"main"':
                text = str(operation.attributes["function_type"]).split(" -> ")[0].strip("()")
                return text[:MOST_LETTERS] + " ..." if len(text) > MOST_LETTERS else text or " "
    except Exception as error:  # Its text is no reason not to record the compilation.
        pass_on(error)
    return " "


def _module(args, kwargs):
    return args[1] if len(args) > 1 else kwargs["computation"]


def traced_name(args, kwargs):
    return "tf.function %s" % args[3].name


def traced_for(args, kwargs):
    """The arguments for which a function of TensorFlow is traced. It is traced anew for each value that is no tensor."""
    return _described({name: _plain(one.type_constraint) for name, one in args[0].parameters.items()})


def _plain(constraint):
    kind = type(constraint).__name__
    if kind == "Literal":
        return constraint.value
    if kind in ("List", "Tuple"):
        return [_plain(one) for one in constraint.components_tuple]
    return {key: _plain(one) for key, one in constraint.mapping.items()} if kind == "Dict" else constraint


def kernel_name(args, kwargs):
    return "triton compile %s" % _function(args)


def tuned_name(args, kwargs):
    """A kernel is tuned in the first call of the compiled code, after the compilation itself."""
    return "triton autotune %s" % _function(args)


def _function(args):
    function = getattr(args[0], "fn", None) if args else None
    return getattr(function, "__name__", "")


def _row(module, path, name, when=None):
    return Hook(module, path, name, LOAD, GROUP, when=when, optional=True)


HOOKS = (
    _row("torch._dynamo.convert_frame", "_compile", frame_name, compiled_for),
    Hook("torch._dynamo.symbolic_convert", "InstructionTranslatorBase.log_graph_break", "graph break", LOAD, when=break_place,
         optional=True),
    _row("torch._inductor.compile_fx", "compile_fx_inner", "torch.compile inductor"),
    _row("torch._inductor.compile_fx", "compile_fx", "torch.compile inductor"),
    _row("torch._functorch.aot_autograd", "aot_module_simplified", "torch.compile autograd"),
    _row("torch._inductor.async_compile", "AsyncCompile.wait", "torch.compile wait for kernels"),
    _row("torch._inductor.select_algorithm", "AlgorithmSelectorCache.__call__", "torch.compile autotune"),
    _row("torch._inductor.runtime.triton_heuristics", "CachingAutotuner.autotune_to_one_config", tuned_name),
    _row("torch._inductor.runtime.triton_heuristics", "CachingAutotuner.coordinate_descent_tuning", tuned_name),
    _row("jax._src.compiler", "compile_or_get_cached", module_name, module_for),
    _row("tensorflow.python.eager.polymorphic_function.tracing_compilation", "_create_concrete_function", traced_name, traced_for),
    _row("triton.compiler.compiler", "compile", kernel_name),
    _row("torch.utils.cpp_extension", "load", "torch extension build"),
    _row("torch.utils.cpp_extension", "load_inline", "torch extension build"),
    _row("torch.export", "export", "torch.export"),
)
