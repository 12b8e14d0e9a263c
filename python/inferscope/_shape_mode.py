"""Sees every operator of PyTorch on a thread, and writes a word of the shape log for it.

This is the hot path: some 20,000 operators a second of a small model at batch 1 come by. What an operator costs is the tuple of its arguments'
shapes and types, two look-ups, and two stores; ``scripts/bench-shapes`` measures it. Everything else happens once per signature.
"""

import json
import sys

from ._shape_log import DONE, FAILED, KIND_SHIFT, MARK, MAX_PASS, PASS_SHIFT, RUNNING

ERROR_TEXT_LIMIT = 2000
KNOWN_LIMIT = 200_000
FIELDS = ("device", "stride")
OTHER, TENSOR, LIST = 0, 1, 2


def mode_class(torch, fields=()):
    """The class of dispatch modes for a version of torch. ``fields``: what is recorded of a tensor besides shape and dtype."""
    from torch.utils._python_dispatch import TorchDispatchMode

    Tensor, describe = torch.Tensor, Describer(torch.Tensor, fields)
    more = describe.more if describe.fields else None
    kinds, kind_of, list_key = describe.kinds, describe.kind_of, describe.list_key

    class ShapeMode(TorchDispatchMode):
        """Of one thread. ``book`` is where it writes, or None while nothing is recorded; ``running`` is the word of a running operator
        without its id."""

        @classmethod
        def _should_skip_dynamo(cls):
            return False  # The mode is never active in compiled code, and the guard against it costs more than a recorded operator.

        def __init__(self):
            super().__init__()
            self.book, self.running = None, RUNNING << KIND_SHIFT

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            book = self.book
            if book is None:
                return func(*args, **kwargs) if kwargs else func(*args)
            try:
                key = [id(func)]
                add = key.append
                for value in args:
                    kind = kinds.get(type(value))
                    if kind == TENSOR:
                        add(value.shape)
                        add(value.dtype)
                        if more is not None:
                            add(more(value))
                    elif kind == OTHER:
                        add(None)
                    elif kind == LIST:
                        add(list_key(value))
                    else:
                        kind_of(value)
                        add(list_key((value,)))
                if kwargs:
                    for name, value in kwargs.items():
                        if kinds.get(type(value)) != OTHER:
                            add(name)
                            add(list_key((value,)))
                key = tuple(key)
                entry = book.known.get(key)
                if entry is None:
                    entry = book.learn(key, func, args, kwargs, describe)
                words, take = book.log.chunk
                try:
                    index = take()
                except StopIteration:
                    words, index = book.log.grow(take)
                running = self.running
                words[index] = running | entry.ident
            except Exception as error:
                words, index, entry, running = book.unreadable(func, self.running, error)
            try:
                result = func(*args, **kwargs) if kwargs else func(*args)
            except BaseException as error:
                book.failed(words, index, running, entry, error)
                raise
            try:
                if type(result) is Tensor and more is None:
                    key = result.shape, result.dtype
                else:
                    key = list_key((result,))
                ident = entry.outputs.get(key)
                if ident is None:
                    ident = book.learn_outputs(entry, key, result, describe)
                words[index] = running - DONE_FROM_RUNNING | ident
            except Exception as error:
                book.unreadable_outputs(words, index, running, entry, error)
            return result

    return ShapeMode


DONE_FROM_RUNNING = (RUNNING - DONE) << KIND_SHIFT


class Entry:
    """A signature of an operator and its inputs: its id, and the ids of the outputs that came of it. It keeps the operator alive, whose
    address is in the key."""

    __slots__ = ("ident", "func", "outputs")

    def __init__(self, ident, func):
        self.ident, self.func, self.outputs = ident, func, {}


class Book:
    """What one log knows by heart. ``problems``: text -> how often it happened."""

    def __init__(self, log):
        self.log, self.known, self.operators, self.problems = log, {}, {}, {}

    def learn(self, key, func, args, kwargs, describe):
        """Stores the signature of a call that has not come before."""
        if len(self.known) >= KNOWN_LIMIT:
            self.known.clear()
        operator = self.operators.get(func)
        if operator is None:
            operator = self.operators.setdefault(func, Operator(func))
        return self.known.setdefault(key, self._entry(operator, describe.inputs(operator.names, args, kwargs)))

    def _entry(self, operator, inputs):
        return Entry(self.log.signature(operator.name, '%s, "inputs": %s' % (operator.text, inputs)), operator.func)

    def learn_outputs(self, entry, key, result, describe):
        return entry.outputs.setdefault(key, self.log.signature("", ', "outputs": ' + describe.any(result), entry.ident))

    def unreadable(self, func, running, error):
        """Records a call whose arguments cannot be described. Never raises."""
        self.problem("inputs", error)
        try:
            key = (func, "unreadable")
            entry = self.known.get(key) or self.known.setdefault(key, self._entry(Operator(func), "null"))
            words, take = self.log.chunk
            try:
                index = take()
            except StopIteration:
                words, index = self.log.grow(take)
            words[index] = running | entry.ident
            return words, index, entry, running
        except Exception as second:
            self.problem("call", second)
            return [0], 0, Entry(0, func), running

    def unreadable_outputs(self, words, index, running, entry, error):
        """Records a call whose result cannot be described. Never raises."""
        self.problem("outputs", error)
        try:
            ident = entry.outputs.get("unreadable")
            if ident is None:
                ident = entry.outputs.setdefault("unreadable", self.log.signature("", ', "outputs": []', entry.ident))
            words[index] = running - DONE_FROM_RUNNING | ident
        except Exception as second:
            self.problem("call", second)

    def failed(self, words, index, running, entry, error):
        """Records that an operator raised. Never raises."""
        try:
            kind, said = type(error).__name__, str(error)[:ERROR_TEXT_LIMIT]
            key = "error", kind, said
            ident = entry.outputs.get(key)
            if ident is None:
                text = ', "outputs": null, "error": %s' % json.dumps({"error_type": kind, "error_message": said})
                ident = entry.outputs.setdefault(key, self.log.signature("", text, entry.ident))
            words[index] = running + FAILED_FROM_RUNNING | ident
        except Exception as second:
            self.problem("error", second)

    def problem(self, where, error):
        key = "%s: %s" % (where, type(error).__name__)
        self.problems[key] = self.problems.get(key, 0) + 1


FAILED_FROM_RUNNING = (FAILED - RUNNING) << KIND_SHIFT


class Operator:
    """What is said of an operator once: its name, the JSON text of it, and the names of its arguments by its schema."""

    __slots__ = ("func", "name", "text", "names")

    def __init__(self, func):
        self.func, self.name = func, str(func).replace("\t", " ").replace("\n", " ")
        self.text = '"operation": ' + json.dumps(self.name)
        self.names = [argument.name for argument in getattr(getattr(func, "_schema", None), "arguments", ())]


class Describer:
    """Says what tensors look like: as keys, which are compared, and as JSON text, which is written once per key."""

    def __init__(self, tensor_class, fields):
        self.tensor_class, self.fields = tensor_class, tuple(field for field in FIELDS if field in fields)
        self.kinds = {tensor_class: TENSOR, list: LIST, tuple: LIST}

    def kind_of(self, value):
        """TENSOR, LIST, or OTHER for what has no shape."""
        kind = self.kinds.get(type(value))
        if kind is None:
            kind = self.kinds[type(value)] = TENSOR if isinstance(value, self.tensor_class) else OTHER
        return kind

    def more(self, tensor):
        """The key of what is asked beyond shape and dtype."""
        return tuple(tensor.stride() if field == "stride" else getattr(tensor, field) for field in self.fields)

    def list_key(self, values):
        """The key of a list: None when no tensor is in it, as in a list of sizes."""
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
        text = '{"shape": %s, "dtype": "%s"' % (list(map(int, tensor.shape)), tensor.dtype)
        for field in self.fields:
            text += ', "%s": %s' % (field, list(tensor.stride()) if field == "stride" else json.dumps(str(tensor.device)))
        return text + "}"

    def any(self, value):
        """A tensor, or a list of what is in a list, null for what is no tensor; an empty list for anything without tensors."""
        kind = self.kind_of(value)
        if kind == TENSOR:
            return self.tensor(value)
        if kind == LIST and self.list_key(value) is not None:
            return "[%s]" % ", ".join("null" if self.kind_of(one) == OTHER else self.any(one) for one in value)
        return "[]"

    def inputs(self, names, args, kwargs):
        """Argument name -> what ``any`` says, of the arguments that have tensors in them."""
        named = [(names[position] if position < len(names) else "arg%d" % position, value) for position, value in enumerate(args)]
        named += (kwargs or {}).items()
        return "{%s}" % ", ".join('"%s": %s' % (name, self.any(value)) for name, value in named if self.list_key((value,)) is not None)


def _push_and_pop():
    from torch.utils import _python_dispatch

    return _python_dispatch._push_mode, _python_dispatch._pop_mode


class Place:
    """A thread's mode and its place among the thread's modes, of which the last one entered must be left first.

    Where the thread has no mode, this one is entered below whatever comes later and stays, so that operators between two forward passes are
    seen. Where the program has a mode of its own, this one lasts from the beginning of a forward pass to its end.
    """

    def __init__(self, mode):
        self.mode, self.entered, self.stays = mode, False, False
        self.push, self.pop = _push_and_pop()

    def forward_pass(self):
        """The number of the thread's forward pass, 0 before the first that is recorded."""
        return self.mode.running >> PASS_SHIFT & MAX_PASS

    def enter(self):
        """Returns whether this call entered the mode."""
        if self.entered:
            return False
        self.stays = _stack_length() == 0
        self.push(self.mode)
        self.entered = True
        return True

    def leave(self):
        """Leaves the mode if it is the last one entered. Otherwise it stays and records nothing once its book is taken away."""
        if self.entered and _last_mode() is self.mode:
            self.pop()
            self.entered = False
            return True
        return False


def _stack_length():
    return sys.modules["torch"]._C._len_torch_dispatch_stack()


def _last_mode():
    length = _stack_length()
    return sys.modules["torch"]._C._get_dispatch_stack_at(length - 1) if length else None


def mark_text(marker, **fields):
    """The JSON text of a marker row, its forward pass excepted."""
    return json.dumps(dict({"marker": marker}, **fields))[1:-1]


def store_mark(book, marker, forward_pass, kind=MARK, **fields):
    """Stores a row that is no operator's."""
    key = marker, tuple(sorted(fields.items()))
    ident = book.known.get(key)
    if ident is None:
        ident = book.known.setdefault(key, book.log.signature("", mark_text(marker, **fields)))
    book.log.mark(kind, ident, forward_pass)
