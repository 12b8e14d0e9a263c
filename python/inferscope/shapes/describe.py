"""Describes tensors: as keys, which are compared at every call of an operator, and as JSON text, which is written once
per key."""

import json
import sys
from functools import lru_cache
from itertools import chain
from operator import attrgetter

from .place import through

FIELDS = ("device", "stride")
OTHER, TENSOR, LIST = 0, 1, 2
ANY, LISTED, MOST_LEADING = 0, -1, 3
TENSOR_TYPES = ("Tensor", "Optional[Tensor]")
PLAIN_TYPES = ("int", "float", "bool", "complex", "number", "str", "Device", "Generator", "Layout", "Dimname", "SymInt", "SymFloat", "SymBool")
TEXTS_LIMIT = 50_000

shape_and_dtype = attrgetter("shape", "dtype")


class Operator:
    """The properties common to all calls of an operator: its name, the JSON text up to its inputs, the names of its
    arguments by its schema. It keeps the operator alive, because it is found by the operator's address.

    ``call``: calls the operator without a Python frame in between. ``leading``: the number of arguments that are
    tensors, or LISTED for a list of tensors, if these come first and no other argument can be one; else ANY."""

    __slots__ = ("func", "call", "name", "text", "names", "leading")

    def __init__(self, func):
        ops = sys.modules.get("torch._ops")
        self.func, self.call, name = func, func, str(func)
        if type(func) is getattr(ops, "OpOverload", None):
            self.call = getattr(func, "_op", func)
        elif isinstance(func, getattr(ops, "HigherOrderOperator", ())):
            self.call, name = through(func), "higher_order." + name
        self.name = name.replace("\t", " ").replace("\n", " ")
        self.text = '"operation": %s, "inputs": ' % json.dumps(self.name)
        arguments = getattr(getattr(func, "_schema", None), "arguments", ())
        self.names = [argument.name for argument in arguments]
        self.leading = _leading_tensors([str(argument.type) for argument in arguments])


class Describer:
    """Describes tensors of one class."""

    def __init__(self, tensor_class, fields):
        self.tensor_class, self.fields = tensor_class, tuple(field for field in FIELDS if field in fields)
        self.kinds = {tensor_class: TENSOR, list: LIST, tuple: LIST}
        self.operators, self.texts = {}, {}

    def operator(self, func):
        """The ``Operator`` of an operator, made once per process."""
        known = self.operators.get(id(func))
        return known or self.operators.setdefault(id(func), Operator(func))

    def key(self, args, kwargs):
        """The key of any call: the slow path."""
        kinds, key = self.kinds, []
        for value in args:
            kind = kinds.get(type(value))
            if kind == TENSOR and not self.fields:
                key += value.shape, value.dtype
            else:
                key.append(None if kind == OTHER else self.list_key((value,)))
        if kwargs:
            for name, value in kwargs.items():
                if kinds.get(type(value)) != OTHER:
                    key += name, self.list_key((value,))
        return tuple(key)

    def kind_of(self, value):
        """TENSOR, LIST, or OTHER for values without a shape."""
        kind = self.kinds.get(type(value))
        if kind is None:
            kind = self.kinds[type(value)] = TENSOR if isinstance(value, self.tensor_class) else OTHER
        return kind

    def more(self, tensor):
        """The key of the fields besides shape and dtype."""
        return tuple(tensor.stride() if field == "stride" else getattr(tensor, field) for field in self.fields)

    def list_key(self, values):
        """The key of a list; None for one without tensors, such as a list of sizes."""
        key, found = [], False
        for value in values:
            kind = self.kind_of(value)
            if kind == TENSOR:
                key.append((value.shape, value.dtype) + (self.more(value) if self.fields else ()))
                found = True
            elif kind == LIST:
                inner = self.list_key(value)
                key.append(inner)
                found = found or inner is not None
            elif type(value) is int:
                return None
            else:
                key.append(None)
        return tuple(key) if found else None

    def tensor(self, tensor):
        """The JSON text of a tensor. Texts are cached: in a decoding model few shapes of a step are new."""
        key = tensor.shape, tensor.dtype
        text = self.texts.get(key)
        if text is None:
            if len(self.texts) >= TEXTS_LIMIT:
                self.texts.clear()
            text = self.texts[key] = '{"shape": %s, "dtype": "%s"}' % (list(map(int, tensor.shape)), tensor.dtype)
        for field in self.fields:
            text = '%s, "%s": %s}' % (text[:-1], field, list(tensor.stride()) if field == "stride" else json.dumps(str(tensor.device)))
        return text

    def any(self, value):
        """The JSON text of a tensor or a list; null inside a list for a value that is not a tensor, ``[]`` for anything
        without tensors."""
        return self._text(value) or "[]"

    def _text(self, value):
        """As ``any``; None for anything without tensors."""
        kind = self.kinds.get(type(value))
        if kind is None:
            kind = self.kind_of(value)
        if kind == TENSOR:
            return self.tensor(value)
        if kind == OTHER or value and type(value[0]) is int:
            return None
        texts = [self._text(one) for one in value]
        if texts.count(None) == len(texts):
            return None
        return "[%s]" % ", ".join(text or ("null" if self.kind_of(one) == OTHER else "[]") for text, one in zip(texts, value))

    def inputs(self, names, args, kwargs):
        """The JSON text of the arguments that contain tensors, by name."""
        if len(args) > len(names):
            names = names + ["arg%d" % position for position in range(len(names), len(args))]
        texts, kinds = [], self.kinds
        for name, value in chain(zip(names, args), kwargs.items() if kwargs else ()):
            text = None if kinds.get(type(value)) == OTHER else self._text(value)
            if text is not None:
                texts.append('"%s": %s' % (name, text))
        return "{%s}" % ", ".join(texts)


def _leading_tensors(kinds):
    """The number of tensors that these argument types begin with, or LISTED for a list of tensors, if all others are
    plain; else ANY."""
    leading = 0
    while leading < len(kinds) and kinds[leading] in TENSOR_TYPES:
        leading += 1
    if kinds[:1] == ["List[Tensor]"]:
        return LISTED if all(map(_is_plain, kinds[1:])) else ANY
    return leading if leading <= MOST_LEADING and all(map(_is_plain, kinds[leading:])) else ANY


@lru_cache(None)
def _is_plain(kind):
    return kind.replace("Optional[", "").replace("List[", "").rstrip("]") in PLAIN_TYPES
