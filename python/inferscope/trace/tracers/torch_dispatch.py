"""Every operator that the dispatcher sees in one step, with the shapes, types and strides of its inputs."""

import collections

from .. import files
from ..tracer import Tracer, Unsupported

_SHORT = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32",
          "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "b8", "complex64": "c64",
          "complex128": "c128", "complex32": "c32", "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2"}
_LONGEST_TEXT = 200


class TorchDispatch(Tracer):
    """Logs one step through a TorchDispatchMode, the backward pass included.

    torch_dispatch.json: operator -> [{count, inputs}], where inputs is a text such as T([2, 16], i64, stride=(16, 2)); a
    stride is given where the tensor is not contiguous.
    """

    name = "torch_dispatch"
    description = "TorchDispatchMode: operators with the shapes, types and strides of their inputs, by how often they occur."
    outputs = ("torch_dispatch.json",)

    def run(self, ctx, output_dir):
        ctx.model
        calls = collections.defaultdict(collections.Counter)
        with _mode(calls):
            ctx.step()
        if not calls:
            raise Unsupported("the dispatcher saw no operator")
        files.write_json(output_dir / "torch_dispatch.json", {
            name: [{"count": count, "inputs": inputs} for inputs, count in sorted(signatures.items())]
            for name, signatures in sorted(calls.items())})
        return {"operators": {name: {"count": sum(signatures.values()), "shapes": sorted(signatures)}
                              for name, signatures in calls.items()}, "kernels": {}}


def _mode(calls):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            calls[str(func)][describe(args, kwargs or {})] += 1
            return func(*args, **(kwargs or {}))

    return Log()


def describe(args, kwargs):
    """Returns the inputs of a call as a text."""
    named = ["%s=%s" % (name, _value(value)) for name, value in kwargs.items()]
    return "(%s)" % ", ".join([_value(value) for value in args] + named)


def _value(value):
    import torch

    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(map(_value, value))
    if isinstance(value, torch.dtype):
        return _type(value)
    text = repr(value) if isinstance(value, (str, int, float, bool, complex, type(None))) else str(value)
    return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "..."


def _tensor(tensor):
    import torch

    shape = "T([%s], %s" % (", ".join(str(int(extent)) for extent in tensor.shape), _type(tensor.dtype))
    if tensor.layout == torch.strided and not tensor.is_contiguous():
        return "%s, stride=(%s))" % (shape, ", ".join(map(str, tensor.stride())))
    return shape + ")"


def _type(dtype):
    name = str(dtype).replace("torch.", "")
    return _SHORT.get(name, name)
