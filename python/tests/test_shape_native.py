"""What of the shape recorder is in C says the same as what it stands for in Python. On stand-ins of tensors, so that any Python can run it, and once
on real torch, where INFERSCOPE_TEST_TORCH=1."""

import gc
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import types
import unittest
from unittest import mock

from shapes_support import PYTHON_FOLDER, Recorded, require_torch
from support import tagged

sys.path.insert(0, str(PYTHON_FOLDER))

from inferscope import _native  # noqa: E402
from inferscope.shapes import mode as shape_mode  # noqa: E402
from inferscope.shapes.files import plain_rows  # noqa: E402
from inferscope.shapes.log import DONE, RUNNING, ShapeLog  # noqa: E402

ROOT = PYTHON_FOLDER.parent
CALLS = 4000
SHAPES = ((), (3,), (2, 3), (1, 7, 300), (1 << 40, 2), (1, 2, 3, 4, 5, 6, 7, 8, 9), (0, 4))


class Dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


DTYPES = Dtype("float32"), Dtype("int64")


class Symbol:
    """A size that must not be asked for its value."""

    def __init__(self, name):
        self.name = name

    def __index__(self):
        raise AssertionError("asked")

    def __int__(self):
        return 5


class Tensor:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


class Subclass(Tensor):
    pass


class Shapeless(Tensor):
    shape = property(lambda self: 1 / 0, lambda self, shape: None)


class Other(Tensor):
    """Of a dtype that is none of PyTorch's, which may lie where another one lay."""

    dtype = property(lambda self: "dtype of %d" % self.number, lambda self, dtype: setattr(self, "number", id(dtype) % 3))


class Func:
    """A stand-in of an operator. ``kinds``: the types of its arguments; ``answer``: what it does."""

    def __init__(self, name, kinds, answer):
        self.name, self.answer = name, answer
        arguments = [types.SimpleNamespace(name="a%d" % at, type=kind) for at, kind in enumerate(kinds)]
        self._schema, self._op = types.SimpleNamespace(arguments=arguments), self

    def __str__(self):
        return self.name

    def __call__(self, *args, **kwargs):
        return self.answer(*args, **kwargs)


class Mode:
    """Stands for TorchDispatchMode."""


def mode_and_log(folder, native):
    """A mode of its own recorder, and its log."""
    fakes = {"torch": types.ModuleType("torch"), "torch.utils": types.ModuleType("torch.utils"),
             "torch.utils._python_dispatch": types.SimpleNamespace(TorchDispatchMode=Mode)}
    with mock.patch.dict(sys.modules, fakes), mock.patch.object(shape_mode, "IN_C", shape_mode.IN_C if native else None):
        mode = shape_mode.mode_class(types.SimpleNamespace(Tensor=Tensor, dtype=Dtype))()
    log = ShapeLog(os.path.join(folder, "native" if native else "plain"), {"pid": 1})
    mode.write_to(shape_mode.Book(log, mode.describe))
    mode.enter_pass(7)
    return mode, log


def words_of(log):
    return [word for buffer in log.calls.buffers for word in memoryview(buffer).cast("Q")[:log.taken()]]


def lines_of(log):
    return bytes(log.texts.buffers[0][:log.texts.backed_bytes]).replace(b"\0", b"").decode()


def require_native(test):
    if _native.load("_shape_native") is None:
        if sys.platform == "linux" and os.uname().machine in ("x86_64", "aarch64") and sys.implementation.name == "cpython" and sys.version_info >= _native.OLDEST:
            raise AssertionError("the library cannot be loaded")
        raise unittest.SkipTest("the library is not for this machine and Python")
    return test


class LoadTest(unittest.TestCase):
    def setUp(self):
        _native.load.cache_clear()
        self.addCleanup(_native.load.cache_clear)

    def test_it_can_be_switched_off(self):
        with mock.patch.dict(os.environ, {_native.SWITCH: "0"}):
            self.assertIsNone(_native.load("_shape_native"))

    def test_another_machine_or_python_does_without(self):
        for change in (mock.patch("platform.machine", return_value="riscv64"), mock.patch.object(_native, "OLDEST", (9, 0)),
                       mock.patch("importlib.machinery.EXTENSION_SUFFIXES", [".cpython-313t-x86_64-linux-gnu.so", ".so"])):
            with change:
                _native.load.cache_clear()
                self.assertIsNone(_native.load("_shape_native"))

    @tagged("process")
    def test_a_library_that_cannot_be_read_is_done_without(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PYTHON_FOLDER / "inferscope", os.path.join(folder, "inferscope"))
            for library in pathlib.Path(folder).rglob("*.so"):
                library.write_bytes(b"\x7fELF and nothing more")
            said = subprocess.run([sys.executable, "-c", "from inferscope import _native; print(_native.load('_shape_native'))"], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
        self.assertEqual(b"None\n", said)

    @tagged("process", "native")
    def test_layouts_and_values_are_those_of_pythons_own_header(self):
        include = sysconfig.get_paths()["include"]
        there = shutil.which("gcc") and os.path.exists(os.path.join(include, "Python.h"))
        if not there and os.environ.get("INFERSCOPE_REQUIRE_GCC") != "1":
            print("skipped: no gcc, or no Python.h in %s" % include, file=sys.stderr)
            raise unittest.SkipTest("no gcc or no Python.h")
        done = subprocess.run(["gcc", "-fsyntax-only", "-I", include, str(ROOT / "native/stubs/python_abi_check.c")], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual((0, b""), (done.returncode, done.stdout))


class RowsTest(unittest.TestCase):
    def setUp(self):
        require_native(self)
        self.rows = _native.load("_shape_native").rows

    def test_they_are_those_of_python(self):
        texts = {1: '"operation": "aten.t"', 1 << 31: "", 5: "\u00e9\u4e2d\U0001f600 " * 50, 6: "x" * 200_000}
        for first in (1, 8, 95, 999_990, (1 << 63) - 5):
            for idents in ([], [1], [5, 1, 1 << 31, 5] * 30, [6, 6]):
                words = texts, idents, first, ', "forward_pass": 3, ', "}\n"
                self.assertEqual(plain_rows(*words), self.rows(*words))

    def test_what_is_wrong_raises(self):
        for words, error in ((({}, [1], 1, "", ""), KeyError), (({1: 2}, [1], 1, "", ""), TypeError), (({}, (1,), 1, "", ""), (SystemError, TypeError)),
                             (({}, [], "1", "", ""), TypeError), (({}, [], -1, "", ""), OverflowError), (({}, [], 1, "", b""), TypeError), ((), TypeError),
                             (({1: "\ud800"}, [1], 1, "", ""), UnicodeEncodeError)):
            with self.assertRaises(error):
                self.rows(*words)


class DispatchTest(unittest.TestCase):
    """Both recorders are given the same calls, and must answer, and write, the same."""

    def setUp(self):
        require_native(self)
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.modes, self.logs = zip(*(mode_and_log(holder.name, native) for native in (True, False)))
        self.assertEqual([True, False], [isinstance(mode, shape_mode.IN_C.Dispatch) for mode in self.modes])

    def call(self, func, *args, **kwargs):
        """Calls both and returns what came of the one in C: the answer or the exception."""
        answers = []
        for self.mode in self.modes:
            given = (func, (), args) + ((kwargs,) if kwargs else ())
            try:
                answers.append(self.mode.__torch_dispatch__(*given))
            except Exception as error:
                answers.append(error)
        if not isinstance(answers[0], Exception):
            self.assertIs(*answers)
        else:
            self.assertEqual(repr(answers[0]), repr(answers[1]))
        return answers[0]

    def assert_same(self):
        self.assertEqual(*(lines_of(log).split("\n") for log in self.logs))
        self.assertEqual(*(words_of(log) for log in self.logs))
        self.assertEqual(*(mode.book.problems for mode in self.modes))

    def tensor(self, dice):
        kind = dice.choices((Tensor, Subclass, Shapeless, Other), (60, 4, 1, 1))[0]
        shape = dice.choice(SHAPES) if dice.random() < 0.99 else (2, Symbol("s0"))
        return kind(shape, dice.choice(DTYPES))

    def argument(self, kind, dice):
        if "List[Tensor]" in kind:
            return [self.tensor(dice) for _ in range(dice.choice((0, 1, 2, 2, 3, 40)))]
        if kind == "Optional[Tensor]" and dice.random() < 0.3:
            return None
        if kind in ("Tensor", "Optional[Tensor]"):
            return self.tensor(dice) if dice.random() < 0.95 else dice.choice((2.0, 3, True, None))
        return dice.choice((1, 2.5, "text", [3, 4]))

    def test_whatever_comes_is_recorded_alike(self):
        dice = random.Random(5)

        def outcome(*args, **kwargs):
            return next(outcomes)

        kinds = (["Tensor"], ["Tensor", "Tensor"], ["Tensor", "Tensor", "Optional[Tensor]", "int"], ["Tensor", "int"], ["List[Tensor]", "int"], ["int"],
                 ["Tensor", "List[Optional[Tensor]]"], ["Tensor"] * 4)
        funcs = [Func("op%d" % number, kinds[number % len(kinds)], outcome) for number in range(300)]
        results = [Tensor(shape, dtype) for shape in SHAPES for dtype in DTYPES]
        unusual = [None, 3, (results[0], results[1]), [results[2]], Subclass((2,), DTYPES[0]), Shapeless((2,), DTYPES[0]), Other((2,), DTYPES[0])]

        def fail():
            raise ValueError("no %d" % dice.randrange(3))

        for number in range(CALLS):
            func = dice.choice(funcs[:20] if number % 2 else funcs)
            args = [self.argument(kind, dice) for kind in func_kinds(func)]
            result = dice.choice(unusual) if dice.random() < 0.1 else results[len(args) * 3 % len(results)]
            if dice.random() < 0.03:
                args = args[:-1]
            if dice.random() < 0.05:
                error = ValueError("no %d" % dice.randrange(3))
                func.answer = mock.Mock(side_effect=error)
                self.assertIs(error, self.call(func, *args))
            else:
                func.answer = lambda *args, result=result, **kwargs: result
                self.assertIs(result, self.call(func, *args, **({"more": dice.choice(results)} if dice.random() < 0.1 else {})))
            if number % 500 == 0:
                self.assert_same()
        self.assert_same()
        self.assertGreater(len(words_of(self.logs[0])), CALLS - 1)

    def test_a_call_that_has_come_before_does_not_reach_python(self):
        func = Func("once", ["Tensor", "Tensor"], lambda a, b: a)
        x = Tensor((2, 3), DTYPES[0])
        for _ in range(3):
            self.call(func, x, x)
        with mock.patch.object(type(self.modes[0]), "see", side_effect=AssertionError):
            self.assertIs(x, self.modes[0].__torch_dispatch__(func, (), (x, x)))

    def test_an_operator_that_runs_is_in_the_log(self):
        seen = []
        func = Func("looks", ["Tensor"], lambda x: seen.append([words_of(log)[-1] >> 56 for log in self.logs if words_of(log)]))
        for _ in range(3):
            self.call(func, Tensor((2,), DTYPES[0]))
        self.assertEqual([DONE, RUNNING], seen[-1])
        self.assertEqual([RUNNING], seen[-2][:1])

    def test_more_calls_than_a_chunk_holds_and_than_are_kept(self):
        func = Func("many", ["Tensor"], lambda x: x)
        for size in range(110_000):
            x = Tensor((size,), DTYPES[0])
            self.call(func, x)
            if size >= 85_000:
                self.call(func, x)
        self.assert_same()
        self.assertEqual([2, 2], [log.steps for log in self.logs])
        entries = list(self.modes[0].book[func].values())
        references = [sys.getrefcount(entry) for entry in entries]
        fewest = min(references)
        self.assertEqual(110_000, len(entries))
        self.assertIn(sum(count > fewest for count in references), range(1, 100_002))

    def test_nothing_is_written_without_a_book_or_into_one_left(self):
        func = Func("op", ["Tensor"], lambda x: x)
        x = Tensor((2,), DTYPES[0])
        self.call(func, x)
        stopping = Func("stops", ["Tensor"], lambda x: self.mode.write_to(None) or x)
        self.call(func, x)
        books = [mode.book for mode in self.modes]
        for _ in range(2):
            for mode, book in zip(self.modes, books):
                mode.write_to(book)
            self.call(stopping, x)
        before = words_of(self.logs[0])
        self.assertEqual(DONE, before[-1] >> 56)
        self.call(func, x)
        self.assertEqual(before, words_of(self.logs[0]))
        for mode, book in zip(self.modes, books):
            mode.write_to(book)
        self.assert_same()

    def test_the_exception_is_the_programs_own(self):
        error = KeyError("mine")
        func = Func("fails", ["Tensor"], mock.Mock(side_effect=[Tensor((2,), DTYPES[0])] * 4 + [error] * 2))
        for _ in range(2):
            self.call(func, Tensor((1,), DTYPES[0]))
        self.assertIs(error, self.call(func, Tensor((1,), DTYPES[0])))
        self.assert_same()

    def test_what_has_only_failed_is_taken_over_when_it_succeeds(self):
        x = Tensor((2,), DTYPES[0])
        func = Func("late", ["Tensor"], mock.Mock(side_effect=[KeyError(1)] * 4 + [x] * 8))
        for _ in range(4):
            self.call(func, x)
        with mock.patch.object(type(self.modes[0].book), "store_outputs", side_effect=AssertionError), \
                mock.patch.object(type(self.modes[0]), "see", side_effect=AssertionError):
            self.assertIs(x, self.modes[0].__torch_dispatch__(func, (), (x,)))

    def test_an_exception_of_a_signals_handler_is_the_programs(self):
        mode, x = self.modes[0], Tensor((2,), DTYPES[0])
        answers = {"list": [x], "tensor": x}

        def fail(x):
            raise ValueError("no")

        funcs = {name: Func(name, ["Tensor"], lambda x, answer=answer: answer) for name, answer in answers.items()}
        funcs["failing"] = Func("failing", ["Tensor"], lambda x: x)
        for func in funcs.values():
            for _ in range(3):
                mode.__torch_dispatch__(func, (), (x,))
        funcs["failing"].answer = fail

        def alarm(*_):
            raise TimeoutError

        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, alarm))
        for name, method in (("list", "store_outputs"), ("failing", "failed"), ("new", "operator")):
            func = funcs.get(name) or Func(name, ["Tensor"], lambda x: x)
            for error, raised in ((KeyboardInterrupt,) * 2, (SystemExit,) * 2, (alarm, TimeoutError)):
                with mock.patch.object(type(mode.book), method, side_effect=error), self.assertRaises(raised):
                    mode.__torch_dispatch__(func, (), (x,))
        with mock.patch.object(type(mode.book), "store_outputs", side_effect=ValueError):
            self.assertEqual([x], mode.__torch_dispatch__(funcs["list"], (), (x,)))
        with mock.patch.object(type(mode.book), "failed", side_effect=KeyError), self.assertRaises(ValueError):
            mode.__torch_dispatch__(funcs["failing"], (), (x,))

    def test_the_same_mode_is_used_while_a_tensor_is_looked_at(self):
        mode, x = self.modes[0], Tensor((2,), DTYPES[0])
        ran = []
        funcs = [Func("op%d" % number, ["Tensor"], lambda x, number=number: ran.append(number)) for number in range(600)]
        book = mode.book

        class Busy(Tensor):
            @property
            def shape(self):
                for func in funcs[1:]:
                    mode.__torch_dispatch__(func, (), (x,))
                mode.write_to(None)
                mode.__torch_dispatch__(funcs[1], (), (x,))
                mode.write_to(book)
                return 2,

            @shape.setter
            def shape(self, shape):
                pass

        for func in funcs[:1] * 3 + funcs[1:]:
            mode.__torch_dispatch__(func, (), (x,))
        for _ in range(3):
            mode.__torch_dispatch__(funcs[0], (), (Busy((2,), DTYPES[0]),))
            self.assertEqual(0, ran[-1])

    def test_the_book_is_another_one_while_a_tensor_is_looked_at(self):
        mode, x = self.modes[0], Tensor((2,), DTYPES[0])
        os.mkdir(os.path.join(self.folder, "other"))
        other, log = mode_and_log(os.path.join(self.folder, "other"), True)

        class Turning(Tensor):
            @property
            def shape(self):
                mode.write_to(other.book)
                return 2,

            @shape.setter
            def shape(self, shape):
                pass

        funcs = [Func("op%d" % number, ["Tensor"], lambda x: x) for number in range(9)]
        for func in funcs * 3:
            mode.__torch_dispatch__(func, (), (x,))
        mode.__torch_dispatch__(funcs[-1], (), (Turning((2,), DTYPES[0]),))
        self.assertEqual([2], [word & 0xFFFFFFFF for word in words_of(log)])

    def test_a_list_that_shrinks_while_it_is_read(self):
        tensors = []

        class Shrinking(Tensor):
            @property
            def shape(self):
                del tensors[:]
                return 2,

            @shape.setter
            def shape(self, shape):
                pass

        func = Func("cat", ["List[Tensor]"], lambda tensors: len(tensors))
        for _ in range(3):
            tensors[:] = [Shrinking((2,), DTYPES[0]), Tensor((2,), DTYPES[0])]
            self.assertEqual(0, self.modes[0].__torch_dispatch__(func, (), (tensors,)))

    def test_arguments_by_name(self):
        x, func = Tensor((2,), DTYPES[0]), Func("op", ["Tensor"], lambda x, y=None: y)
        for mode in self.modes:
            for named in ({}, {"y": 3}):
                self.assertEqual(named.get("y"), mode.__torch_dispatch__(func, (), args=(x,), kwargs=named))
                self.assertEqual(named.get("y"), mode.__torch_dispatch__(func, (), (x,), kwargs=named))
        self.assert_same()

    def test_a_wrong_call_raises(self):
        with self.assertRaises(TypeError):
            self.modes[0].__torch_dispatch__(1)

    def test_nothing_is_held_longer_than_needed(self):
        x, y = Tensor((2, 3), DTYPES[0]), Tensor((4,), DTYPES[1])
        good, bad = Func("good", ["Tensor", "Tensor"], lambda a, b: a), Func("bad", ["List[Tensor]"], lambda tensors: tensors.no)
        held = x, y, x.shape, good, bad, DTYPES[0], DTYPES[1]

        def run(times):
            for _ in range(times):
                self.call(good, x, y)
                self.call(bad, [x, y])
            gc.collect()
            return [sys.getrefcount(one) for one in held]

        run(20)
        self.assertEqual(run(20), run(2000))

    def test_a_mode_goes_when_nobody_has_it(self):
        kind = type(self.modes[0])
        mode = kind()
        mode.write_to(self.modes[0].book)
        mode.__torch_dispatch__(Func("op", ["Tensor"], lambda x: x), (), (Tensor((2,), DTYPES[0]),))
        mode.itself = mode
        del mode
        gc.collect()
        self.assertEqual(1, sum(type(one) is kind for one in gc.get_objects()))


def func_kinds(func):
    return [argument.type for argument in func._schema.arguments]


PROGRAM = """\
import torch
from torch import nn
torch.manual_seed(0)
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.norm, self.linear = nn.Embedding(10, 8), nn.LayerNorm(8), nn.Linear(8, 8)
        self.convolution = nn.Conv1d(8, 8, 3, padding=1, bias=False)
    def forward(self, ids, cache):
        x = self.norm(self.embedding(ids))
        cache.append(self.linear(x))
        keys = torch.cat(cache, 1)
        x = nn.functional.scaled_dot_product_attention(x[:, None], keys[:, None], keys[:, None])[:, 0]
        x = self.convolution(x.transpose(1, 2)).transpose(1, 2) * 0.5 + 1
        x.masked_fill_(torch.arange(x.shape[1])[None, :, None] > 40, 0.0)
        largest, at = x.max(-1)
        try:
            torch.mm(largest, largest)
        except RuntimeError:
            pass
        return torch.where(at > 3, largest, 0.0).sum().item()
with torch.no_grad():
    model, cache = Model(), []
    for step in range(30):
        print(model(torch.tensor([[step % 10, 3]]), cache))
"""


# An exception that comes while Python runs a finaliser goes to sys.unraisablehook in any program: nobody could raise it.
SIGNALS = """\
import signal, sys, torch
from torch import nn
class Stop(Exception):
    pass
handled = raised = in_finalisers = 0
def handler(number, frame):
    global handled
    handled += 1
    raise Stop
def count(unraisable):
    global in_finalisers
    assert unraisable.exc_type is Stop, unraisable
    in_finalisers += 1
sys.unraisablehook = count
class Sort(nn.Module):
    def forward(self, x):
        return torch.sort(x)
model, x = Sort(), torch.arange(1_000_000).flip(0)
model(x), model(x)
signal.signal(signal.SIGALRM, handler)
for number in range(20):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        while handled == number:
            model(x)
    except Stop:
        raised += 1
assert handled == raised + in_finalisers == 20 and raised > 10, (handled, raised, in_finalisers)
"""


class TorchTest(Recorded):
    @classmethod
    def setUpClass(cls):
        require_torch()
        super().setUpClass()

    def test_the_file_is_the_same_byte_for_byte(self):
        written = []
        for switch in ("1", "0"):
            self.run_copy(PROGRAM, more={_native.SWITCH: switch})
            written.append([self.stdout] + [(self.folder / name).read_bytes() for name in ("shapes.jsonl", "shapes_summary.json")])
        self.assertEqual(*written)
        self.assertGreater(written[0][1].count(b"\n"), 500)

    def test_a_handlers_exception_while_an_operator_runs_is_raised(self):
        self.run_copy(SIGNALS)


if __name__ == "__main__":
    unittest.main()
