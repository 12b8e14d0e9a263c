"""The dispatch mode that is called for every PyTorch operator of a thread and writes a word of the shape log for it.

This is the hot path: a small model at batch 1 runs about 20,000 operators a second. An operator costs the tuple of its
tensors' shapes and types, two look-ups and two stores; ``lab/bench shapes`` measures it. Everything else happens
once per signature. Known calls are handled by ``native/shapes`` if it can be loaded.
"""

import json
from time import monotonic_ns

from .. import _native
from .._signals import pass_on
from .describe import ANY, LISTED, Describer, shape_and_dtype
from .log import DONE, FAILED, KIND_SHIFT, MARK, PASS_SHIFT, RUNNING

ERROR_TEXT_LIMIT = 2000
KNOWN_LIMIT = 200_000
IN_C = _native.load("_shape_native")


def mode_class(torch, fields=()):
    """The class of dispatch modes for a version of torch. ``fields``: what is recorded of a tensor besides shape and
    dtype."""
    from torch.utils._python_dispatch import TorchDispatchMode

    Tensor = torch.Tensor

    class ShapeMode(TorchDispatchMode):
        """The mode of one thread, and of those on which PyTorch runs a part of the thread's work. ``book``: its target,
        None while nothing is recorded; ``chunk``: the chunk of the book's log; ``running``, ``done``: the words of a
        running and an ended operator, without their ids."""

        supports_higher_order_operators = True  # Otherwise torch.ops.higher_order.cond would raise in the program.
        describe = Describer(Tensor, fields)

        @classmethod
        def _should_skip_dynamo(cls):
            return False  # The mode is never active in compiled code, and the guard against it costs more than a recorded operator.

        def __init__(self):
            super().__init__()
            self.tensor_class, self.dtype_class = Tensor, torch.dtype
            self.write_to(None)
            self.enter_pass(0)

        def write_to(self, book):
            """Writes to a book from now on; None stops writing."""
            self.chunk = None if book is None else book.log.chunk
            self.book = book

        def enter_pass(self, number):
            self.running, self.done = (kind << KIND_SHIFT | number << PASS_SHIFT for kind in (RUNNING, DONE))

        def see(self, func, types, args=(), kwargs=None):
            """Runs an operator and writes its word."""
            book = self.book
            if book is None:
                return func(*args, **kwargs) if kwargs else func(*args)
            try:
                call = func._op
                calls = book.get(call)
                if calls is None:
                    calls = book.operator(func)
                    call = calls.operator.call
                key = calls.key(args, kwargs)
                entry = calls.get(key)
                if entry is None:
                    entry = calls.learn(key, args, kwargs)
                words, take = self.chunk
                index = take()
                words[index] = self.running + entry.ident
            except Exception as error:
                pass_on(error)
                words, index, call, entry = self.begin(book, func, args, kwargs)
            done = self.done
            try:
                result = call(*args, **kwargs) if kwargs else call(*args)
            except BaseException as error:
                book.failed(words, index, done, entry, error)
                raise
            try:
                if type(result) is Tensor and result.shape == entry.shape and result.dtype is entry.dtype:
                    words[index] = done + entry.over
                    return result
            except Exception as error:
                pass_on(error)  # Otherwise it has no shape to compare; store_outputs may be able to describe it.
            book.store_outputs(words, index, done, entry, result)
            return result

        __torch_dispatch__ = see

        def begin(self, book, func, args, kwargs):
            """Slow path: begins a call with tensors in unusual places, or one that finds the chunk full. Raises
            nothing of its own."""
            try:
                calls, describe = book.operator(func), book.describe
                try:
                    key = describe.key(args, kwargs)
                    entry = calls.get(key) or calls.learn(key, args, kwargs)
                except Exception as error:
                    book.problem("inputs", error)
                    entry = calls.get("unreadable") or calls.setdefault("unreadable", calls.entry("null"))
                words, index = book.log.slot()
                self.chunk = book.log.chunk
                words[index] = self.running + entry.ident
                return words, index, calls.operator.call, entry
            except Exception as error:
                book.problem("call", error)
                return [0], 0, func, Entry(0)

    return ShapeMode if IN_C is None else type("ShapeMode", (IN_C.Dispatch, ShapeMode), {})


FAILED_FROM_DONE = (FAILED - DONE) << KIND_SHIFT


class Calls(dict):
    """The known calls of an operator: key of the inputs -> entry."""

    __slots__ = ("book", "operator", "leading")

    def __init__(self, book, func):
        self.book, self.operator = book, book.describe.operator(func)
        self.leading = ANY if book.describe.fields else self.operator.leading

    def key(self, args, kwargs):
        """The key of a call. Raises when the tensors are not where most calls of the operator have them."""
        leading = self.leading
        if leading == 1:
            a = args[0]
            return a.shape, a.dtype
        if leading == 2:
            a, b = args[0], args[1]
            return (a.shape, a.dtype, None) if type(b) is float else (a.shape, a.dtype, b.shape, b.dtype)
        if leading == LISTED:
            return tuple(map(shape_and_dtype, args[0]))
        if leading == 3:
            a, b, c = args[0], args[1], args[2]
            return a.shape, a.dtype, b.shape, b.dtype, c.shape, c.dtype
        return self.book.describe.key(args, kwargs)

    def known(self, args):
        """The entry of a known call that has succeeded at least once, else None. Called from C, which caches the usual
        output."""
        entry = self.get(self.key(args, None))
        return entry if entry is not None and (entry.over or any(key is None or key[0] != "error" for key in entry.outputs)) else None

    def learn(self, key, args, kwargs):
        """Stores the signature of a new call."""
        start_ns, book = monotonic_ns(), self.book
        book.entries += 1
        if book.entries > KNOWN_LIMIT:
            book.forget()
        entry = self.setdefault(key, self.entry(book.describe.inputs(self.operator.names, args, kwargs)))
        book.learning_ns += monotonic_ns() - start_ns
        return entry

    def entry(self, inputs):
        return Entry(self.book.log.signature(self.operator.name, self.operator.text + inputs))


class Entry:
    """A signature of an operator and its inputs: its id and the ids of its outputs. The output is usually one tensor of
    always the same ``shape`` and ``dtype``, whose id is ``over``; all others are in ``outputs``."""

    __slots__ = ("ident", "shape", "dtype", "over", "outputs")

    def __init__(self, ident):
        self.ident, self.shape, self.dtype, self.over, self.outputs = ident, None, None, 0, {}

    def usual(self, tensor, ident, lock):
        """Sets the usual output, the shape last, so that a thread that reads the shape finds the other fields set."""
        with lock:
            if self.shape is None:
                self.over, self.dtype, self.shape = ident, tensor.dtype, tensor.shape


class Book(dict):
    """The signatures that one log has stored: what an operator calls -> the known calls of the operator. ``marks``: ids
    of markers; ``problems``: text -> count; ``learning_ns``: time spent on new calls."""

    __slots__ = ("log", "describe", "entries", "marks", "problems", "learning_ns")

    def __init__(self, log, describe):
        self.log, self.describe, self.entries, self.marks, self.problems, self.learning_ns = log, describe, 0, {}, {}, 0

    def operator(self, func):
        """The calls of an operator."""
        call = self.describe.operator(func).call
        calls = self.get(call)
        if calls is None:
            calls = self.setdefault(call, Calls(self, func))
        return calls

    def forget(self):
        """Makes room for other calls."""
        self.entries = 1
        for calls in list(self.values()):
            calls.clear()

    def store_outputs(self, words, index, done, entry, result):
        """Records the result of a call. Raises nothing of its own."""
        try:
            words[index] = done + self.outputs(entry, result)
        except Exception as error:
            self.unreadable_outputs(words, index, done, entry, error)

    def outputs(self, entry, result):
        """The id of a result, which is stored if it is new."""
        describe = self.describe
        plain = type(result) is describe.tensor_class and not describe.fields
        first = plain and entry.shape is None
        if plain and not first and result.shape == entry.shape and result.dtype is entry.dtype:
            return entry.over
        key = None if first else describe.list_key((result,))
        ident = None if first else entry.outputs.get(key)
        if ident is None:
            start_ns = monotonic_ns()
            ident = self.log.signature("", ', "outputs": ' + describe.any(result), entry.ident)
            if first:
                entry.usual(result, ident, self.log.lock)
            else:
                ident = entry.outputs.setdefault(key, ident)
            self.learning_ns += monotonic_ns() - start_ns
        return ident

    def unreadable_outputs(self, words, index, done, entry, error):
        """Records a call whose result cannot be described. Raises nothing of its own."""
        self.problem("outputs", error)
        try:
            ident = entry.outputs.get("unreadable")
            if ident is None:
                ident = entry.outputs.setdefault("unreadable", self.log.signature("", ', "outputs": []', entry.ident))
            words[index] = done + ident
        except Exception as second:
            self.problem("call", second)

    def failed(self, words, index, done, entry, error):
        """Records that an operator raised. Raises nothing of its own."""
        try:
            kind, said = type(error).__name__, str(error)[:ERROR_TEXT_LIMIT]
            key = "error", kind, said
            ident = entry.outputs.get(key)
            if ident is None:
                text = ', "outputs": null, "error": %s' % json.dumps({"error_type": kind, "error_message": said})
                ident = entry.outputs.setdefault(key, self.log.signature("", text, entry.ident))
            words[index] = done + FAILED_FROM_DONE + ident
        except Exception as second:
            self.problem("error", second)

    def problem(self, where, error):
        pass_on(error)
        key = "%s: %s" % (where, type(error).__name__)
        self.problems[key] = self.problems.get(key, 0) + 1


def mark_text(marker, **fields):
    """The JSON text of a marker row, its forward pass excepted."""
    return json.dumps(dict({"marker": marker}, **fields))[1:-1]


def store_mark(book, marker, forward_pass, kind=MARK, **fields):
    """Stores a marker row."""
    key = marker, tuple(sorted(fields.items()))
    ident = book.marks.get(key)
    if ident is None:
        ident = book.marks.setdefault(key, book.log.signature("", mark_text(marker, **fields)))
    book.log.mark(kind, ident, forward_pass)
