#!/usr/bin/env python3
# One operator as a recording has it, run alone and timed. Needs PyTorch and nothing else.
# Recorded: @CALLS@ with these inputs, @HOST@ on the host and @DEVICE@ on the device each.
import ast
import json
import statistics
import time

import torch

OPERATOR = "@OPERATOR@"
SIZES = json.loads("@SIZES@")
STRIDES = json.loads("@STRIDES@")
TYPES = json.loads("@TYPES@")
VALUES = json.loads("@VALUES@")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
NAMES = {"float": "float32", "double": "float64", "c10::Half": "float16", "c10::BFloat16": "bfloat16",
         "long int": "int64", "long": "int64", "int": "int32", "short int": "int16", "short": "int16",
         "signed char": "int8", "unsigned char": "uint8", "bool": "bool",
         "c10::Float8_e4m3fn": "float8_e4m3fn", "c10::Float8_e5m2": "float8_e5m2",
         "c10::complex<float>": "complex64", "c10::complex<double>": "complex128"}


def tensor(sizes, strides, name):
    # Indices are 0: that is valid for whatever they point into.
    dtype = getattr(torch, NAMES[name])
    strides = strides or torch.empty(sizes, device="meta").stride()
    room = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides)) if 0 not in sizes else 0
    if dtype.is_floating_point or dtype.is_complex:
        wide = dtype if dtype.is_complex or dtype.itemsize > 1 else torch.float32
        base = torch.randn(room, device=DEVICE, dtype=wide).to(dtype)
    else:
        base = torch.zeros(room, device=DEVICE, dtype=dtype)
    return base.as_strided(sizes, strides)


def value(text):
    if text == "":
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return float(text) if text in ("inf", "-inf", "nan") else text


def argument(i):
    kind = TYPES[i] if i < len(TYPES) else ""
    sizes, strides = SIZES[i], STRIDES[i] if i < len(STRIDES) else []
    if kind in NAMES:
        return tensor(sizes, strides, kind)
    if kind == "TensorList":
        return [tensor(one, strides[j] if j < len(strides) else [], "float") for j, one in enumerate(sizes)]
    return value(VALUES[i]) if i < len(VALUES) else None


def bound(arguments):
    # Inputs are recorded in the order of the schema, including those that Python takes by name only.
    namespace, name = OPERATOR.split("::")
    problem = "this PyTorch has no operator of that name and number of inputs"
    for schema in torch._C._jit_get_schemas_for_operator(OPERATOR):
        if len(schema.arguments) < len(arguments):
            continue
        known = [(of, of.default_value if given is None and of.has_default_value() else given)
                 for of, given in zip(schema.arguments, arguments)]
        overload = getattr(getattr(getattr(torch.ops, namespace), name), schema.overload_name or "default")
        positional = [given for of, given in known if not of.kwarg_only]
        named = {of.name: given for of, given in known if of.kwarg_only}
        try:
            with torch.no_grad():
                overload(*positional, **named)
            return lambda: overload(*positional, **named)
        except (RuntimeError, TypeError, NotImplementedError) as e:
            problem = e
    raise SystemExit("%s: %s" % (OPERATOR, problem))


def main():
    torch.manual_seed(0)
    arguments = [argument(i) for i in range(len(SIZES))]
    operator = bound(arguments)
    for one in arguments:
        print("argument:", "%s %s %s" % (list(one.shape), one.stride(), one.dtype) if torch.is_tensor(one) else one)
    times = []
    for run in range(25):
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        with torch.no_grad():
            operator()
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
        if len(times) > 5 and sum(times) > 5:
            break
    times = times[5:]
    print("%s on %s: median %.1f us of %d runs, torch %s"
          % (OPERATOR, DEVICE, 1e6 * statistics.median(times), len(times), torch.__version__))


if __name__ == "__main__":
    main()
