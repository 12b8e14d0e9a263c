"""Sees every operator of PyTorch on a thread, and writes a word of the shape log for it.

This is the hot path: some 20,000 operators a second of a small model at batch 1 come by. What an operator costs is the tuple of its tensors'
shapes and types, three look-ups, and two stores; ``scripts/bench-shapes`` measures it. Everything else happens once per signature.
"""

import json
from time import monotonic_ns

from ._shape_describe import Describer, Operator
from ._shape_log import DONE, FAILED, KIND_SHIFT, MARK, PASS_SHIFT, RUNNING

ERROR_TEXT_LIMIT = 2000
KNOWN_LIMIT = 200_000


def mode_class(torch, fields=()):
    """The class of dispatch modes for a version of torch. ``fields``: what is recorded of a tensor besides shape and dtype."""
    from torch.utils._python_dispatch import TorchDispatchMode

    describe = Describer(torch.Tensor, fields)
    reader_of, make_reader, list_key = describe.readers.get, describe.reader, describe.list_key
    Tensor = None if describe.fields else torch.Tensor  # None is no type of a result: all go the long way then.

    class ShapeMode(TorchDispatchMode):
        """Of one thread. ``book`` is where it writes, or None while nothing is recorded; ``running`` and ``done`` are the words of an operator
        that runs and of one that is over, without their ids."""

        supports_higher_order_operators = True  # Else torch.ops.higher_order.cond would raise in the program.

        @classmethod
        def _should_skip_dynamo(cls):
            return False  # The mode is never active in compiled code, and the guard against it costs more than a recorded operator.

        def __init__(self):
            super().__init__()
            self.book = None
            self.enter_pass(0)

        def enter_pass(self, number):
            self.running, self.done = (kind << KIND_SHIFT | number << PASS_SHIFT for kind in (RUNNING, DONE))

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            book = self.book
            if book is None:
                return func(*args, **kwargs) if kwargs else func(*args)
            try:
                read = reader_of(id(func)) or make_reader(func)
                key = read(args, kwargs)
                entry = book.known.get(key)
                if entry is None:
                    entry = book.learn(key, func, args, kwargs, describe)
                words, take = book.log.chunk
                try:
                    index = take()
                except StopIteration:
                    words, index = book.log.grow(take)
                words[index] = self.running | entry.ident
            except Exception as error:
                words, index, entry = book.unreadable(func, self.running, error)
            done = self.done
            try:
                result = entry.call(*args, **kwargs) if kwargs else entry.call(*args)
            except BaseException as error:
                book.failed(words, index, done, entry, error)
                raise
            try:
                key = (result.shape, result.dtype) if type(result) is Tensor else list_key((result,))
                ident = entry.outputs.get(key)
                if ident is None:
                    ident = book.learn_outputs(entry, key, result, describe)
                words[index] = done | ident
            except Exception as error:
                book.unreadable_outputs(words, index, done, entry, error)
            return result

    return ShapeMode


FAILED_FROM_DONE = (FAILED - DONE) << KIND_SHIFT


class Entry:
    """A signature of an operator and its inputs: its id, what to call, and the ids of the outputs that came of it."""

    __slots__ = ("ident", "call", "outputs")

    def __init__(self, ident, call):
        self.ident, self.call, self.outputs = ident, call, {}


class Book:
    """What one log knows by heart. ``problems``: text -> how often it happened; ``learning_ns``: time spent on calls that had not come before."""

    def __init__(self, log):
        self.log, self.known, self.problems, self.learning_ns = log, {}, {}, 0

    def learn(self, key, func, args, kwargs, describe):
        """Stores the signature of a call that has not come before."""
        start_ns = monotonic_ns()
        if len(self.known) >= KNOWN_LIMIT:
            self.known.clear()
        operator = describe.operator(func)
        entry = self.known.setdefault(key, self._entry(operator, describe.inputs(operator.names, args, kwargs)))
        self.learning_ns += monotonic_ns() - start_ns
        return entry

    def _entry(self, operator, inputs):
        return Entry(self.log.signature(operator.name, '%s, "inputs": %s' % (operator.text, inputs)), operator.call)

    def learn_outputs(self, entry, key, result, describe):
        start_ns = monotonic_ns()
        ident = entry.outputs.setdefault(key, self.log.signature("", ', "outputs": ' + describe.any(result), entry.ident))
        self.learning_ns += monotonic_ns() - start_ns
        return ident

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
            return words, index, entry
        except Exception as second:
            self.problem("call", second)
            return [0], 0, Entry(0, func)

    def unreadable_outputs(self, words, index, done, entry, error):
        """Records a call whose result cannot be described. Never raises."""
        self.problem("outputs", error)
        try:
            ident = entry.outputs.get("unreadable")
            if ident is None:
                ident = entry.outputs.setdefault("unreadable", self.log.signature("", ', "outputs": []', entry.ident))
            words[index] = done | ident
        except Exception as second:
            self.problem("call", second)

    def failed(self, words, index, done, entry, error):
        """Records that an operator raised. Never raises."""
        try:
            kind, said = type(error).__name__, str(error)[:ERROR_TEXT_LIMIT]
            key = "error", kind, said
            ident = entry.outputs.get(key)
            if ident is None:
                text = ', "outputs": null, "error": %s' % json.dumps({"error_type": kind, "error_message": said})
                ident = entry.outputs.setdefault(key, self.log.signature("", text, entry.ident))
            words[index] = done + FAILED_FROM_DONE | ident
        except Exception as second:
            self.problem("error", second)

    def problem(self, where, error):
        key = "%s: %s" % (where, type(error).__name__)
        self.problems[key] = self.problems.get(key, 0) + 1


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
