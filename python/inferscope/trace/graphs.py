"""Graphs that the compilers of PyTorch make of a model's step."""

import inspect

from . import files
from .tracer import Unsupported


def capture(context):
    """Returns the FX graphs that Dynamo hands to its backend during one step, in the order in which it made them."""
    import torch

    captured = []

    def backend(module, example_inputs):
        captured.append(module)
        return module.forward

    context.step(torch.compile(context.model, backend=backend))
    return _some(captured)


def capture_aten(context):
    """Returns the graphs of ATen operators of one step as pairs of pass (inference, forward, backward) and code."""
    import torch
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    captured = []

    def compiler(kind):
        def compile_graph(module, example_inputs):
            captured.append((kind, module.print_readable(print_output=False)))
            return make_boxed_func(module.forward)

        return compile_graph

    backend = aot_autograd(fw_compiler=compiler("forward"), bw_compiler=compiler("backward"),
                           inference_compiler=compiler("inference"))
    context.step(torch.compile(context.model, backend=backend))
    return _some(captured)


def _some(captured):
    if not captured:
        raise Unsupported("Dynamo captured no graph of this model")
    return captured


def node(one):
    """Returns a node of an FX graph as plain values; nodes among its arguments are given by their names."""
    return {
        "name": one.name,
        "op": one.op,
        "target": target(one.target),
        "args": [_plain(value) for value in one.args],
        "kwargs": {key: _plain(value) for key, value in one.kwargs.items()},
        "users": [user.name for user in one.users],
    }


def target(value):
    """Returns what a node calls, or where it reads, as a text that is the same in every run."""
    if isinstance(value, str):
        return value
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if name is None or inspect.ismethod(value):
        return files.without_addresses(str(value))
    module = getattr(value, "__module__", None)
    return "%s.%s" % (module, name) if module else name


def _plain(value):
    import torch

    if isinstance(value, torch.fx.Node):
        return value.name
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        return {str(key): _plain(element) for key, element in value.items()}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else files.without_addresses(str(value))
