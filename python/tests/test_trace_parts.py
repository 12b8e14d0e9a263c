"""What tracers are made of: kernels by operator, phases of an engine, the registry, outcomes."""

import contextlib
import gzip
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from support import tagged

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from inferscope.trace import ModelError, Unsupported, kernels, outcome, phases, registry  # noqa: E402
from inferscope.trace.tracers import torch_inductor  # noqa: E402

TRACES = pathlib.Path(__file__).resolve().parents[3] / "shared" / "traces" / "kineto"


def operator(name, start, end, external, **args):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": end - start,
            "args": dict({"External id": external}, **args)}


def launch(start, correlation, category="cuda_runtime"):
    return {"ph": "X", "cat": category, "name": "launch", "pid": 1, "tid": 1, "ts": start, "dur": 1,
            "args": {"correlation": correlation}}


def kernel(name, start, correlation, category="kernel", **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": start, "dur": 4,
            "args": dict({"correlation": correlation, "stream": 7}, **args)}


class KernelsTest(unittest.TestCase):
    EVENTS = [
        kernel("gemm", 30, 1),  # Before its launch, as files have it.
        operator("aten::linear", 0, 20, 1, **{"Sequence number": 5, "Input Dims": [[2, 4]]}),
        operator("aten::mm", 2, 10, 2, **{"Sequence number": 5, "Input Dims": [[2, 4]]}),
        launch(4, 1),
        launch(12, 2, "cuda_driver"),
        kernel("bias", 40, 2),
        kernel("copy", 50, 3, "gpu_memcpy"),
        launch(14, 3),
        kernel("range", 60, 4, "gpu_user_annotation"),
    ]

    def test_a_kernel_belongs_to_the_innermost_operator_around_its_launch(self):
        entries = kernels.extract(self.EVENTS)
        self.assertEqual({"aten::mm": "gemm", "aten::linear": "bias"},
                         {entry["cpu_op_name"]: entry["associated_kernels"][0]["kernel_name"] for entry in entries})
        self.assertEqual([1, 1], [entry["kernel_call_count"] for entry in entries])
        self.assertEqual([5, 5], [entry["sequence_number"] for entry in entries])

    def test_the_order_of_events_does_not_matter(self):
        self.assertEqual(kernels.extract(self.EVENTS), kernels.extract(self.EVENTS[::-1]))

    def test_kernels_without_an_operator_are_kept_apart(self):
        entries = kernels.extract(self.EVENTS + [kernel("graph", 70, 99)])
        self.assertEqual([kernels.NO_OPERATOR], [e["cpu_op_name"] for e in entries if e["sequence_number"] is None])

    def test_no_kernel_of_a_real_trace_is_lost_or_counted_twice(self):
        names = ("h100-bert-small", "mi300-qwen1.5", "a100-alexnet", "old-spelling", "vllm-decode-graph")
        if not TRACES.is_dir():
            self.skipTest("SKIPPED: no real traces beside the repository")
        for name in names:
            with self.subTest(name):
                events = kernels.read(next(TRACES.glob(name + ".json*")))
                expected = [e for e in events if e.get("ph") == "X" and str(e.get("cat")).lower() == "kernel"]
                entries = kernels.extract(events)
                found = [k for entry in entries for k in entry["associated_kernels"]]
                self.assertEqual(sorted(e["name"] for e in expected), sorted(k["kernel_name"] for k in found))
                self.assertAlmostEqual(sum(e["dur"] for e in expected), sum(e["total_kernel_time_us"] for e in entries), 0)

    def test_both_files_tell_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            files = pathlib.Path(folder, "k.json"), pathlib.Path(folder, "k.csv")
            kernels.write(kernels.extract(self.EVENTS), kernels.operator_counts(self.EVENTS), *files)
            self.assertEqual(2, len(json.loads(files[0].read_text())))
            self.assertEqual(["cpu_op_name,cpu_op_total_count,gpu_kernel_name,gpu_kernel_total_count", "aten::linear,1,bias,1",
                              "aten::mm,1,gemm,1"], files[1].read_text().split())

    def test_compressed_traces_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "t.json.gz")
            file.write_bytes(gzip.compress(json.dumps({"traceEvents": self.EVENTS}).encode()))
            self.assertEqual(self.EVENTS, kernels.read(file))


class PhasesTest(unittest.TestCase):
    def noted(self, name, start, end):
        return {"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": end - start}

    def events(self, first, second):
        return [self.noted(first, 0, 100), self.noted(second, 100, 200), launch(10, 1), launch(20, 2), launch(110, 3),
                kernel("flash_fwd_splitkv", 500, 1), kernel("reshape_and_cache_flash", 510, 2), kernel("gemm", 520, 3),
                operator("vllm::unified_attention", 5, 30, 1), operator("_C_cache_ops::reshape_and_cache", 15, 25, 2)]

    def test_what_the_engine_notes_tells_the_phase(self):
        found = phases.summarise(self.events("execute_context_2(30)_generation_0(0)", "execute_context_0(0)_generation_2(2)"), [])
        self.assertEqual("vllm", found["told_by"])
        found = found["phases"]
        self.assertEqual(["prefill", "decode"], list(found))
        self.assertEqual((1, 1, 0), tuple(found["prefill"][kind]["kernel_count"] for kind in phases.KINDS))
        self.assertEqual((0, 0, 1), tuple(found["decode"][kind]["kernel_count"] for kind in phases.KINDS))
        self.assertEqual(25, found["prefill"]["attention"]["operator_time_us"])
        self.assertEqual(10, found["prefill"]["kv_cache"]["operator_time_us"])

    def test_attention_that_reads_the_cache_is_attention_and_writing_it_is_not(self):
        kinds = {"_C::cpu_attention_with_kv_cache": "attention", "flash_attn_with_kvcache": "attention", "vllm::unified_kv_cache_update": "kv_cache",
                 "_C::cpu_attn_reshape_and_cache": "kv_cache", "aten::mm": "other"}
        self.assertEqual(kinds, {name: phases.kind_of(name) for name in kinds})

    def test_where_it_notes_nothing_its_answers_do(self):
        steps = [phases.phase_of_outputs(2, 0), phases.phase_of_outputs(0, 2)]
        found = phases.summarise(self.events(phases.STEP % 0, phases.STEP % 1), steps)
        self.assertEqual(("engine", ["prefill", "decode"]), (found["told_by"], list(found["phases"])))

    def test_where_nobody_tells_that_is_told(self):
        self.assertEqual({"told_by": "nothing", "phases": {}}, phases.summarise(self.events("one", "another"), []))

    def test_a_step_with_both_is_mixed(self):
        found = phases.summarise(self.events("execute_context_1(30)_generation_1(1)", "execute_new_0_cached_2"), [])
        self.assertEqual(["decode", "mixed"], list(found["phases"]))


class RegistryTest(unittest.TestCase):
    def test_the_tracers_are_known_without_torch(self):
        self.assertEqual(registry.BUILT_IN, tuple(registry.load()))
        self.assertNotIn("vllm", sys.modules)

    def test_a_file_of_a_folder_is_a_tracer(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "mine.py").write_text(
                "from inferscope.trace import Tracer\nclass Mine(Tracer):\n    name = 'mine'\n    exclusive_group = 'g'\n")
            described = registry.describe(registry.load(folder)["mine"])
            self.assertEqual(("mine", "g"), (described["name"], described["exclusive_group"]))

    def test_a_file_that_is_none_is_named(self):
        for source, word in (("x = 1", "no class"), ("import nothing_like_it", "cannot be imported"),
                             ("from inferscope.trace import Tracer\nclass T(Tracer): name = 'print_fx'", "already"),
                             ("from inferscope.trace import Tracer\nclass T(Tracer): name = 'a/b'", "expected letters"),
                             ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
                             ("from inferscope.trace import Tracer\nclass T(Tracer): name, outputs = 'a', 'x.txt'", "tuple of texts"),
                             ("from inferscope.trace import Tracer\nclass T(Tracer): name, frameworks = 'a', ('torch',)",
                              "names 'torch'")):
            with self.subTest(word), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "bad.py").write_text(source)
                with self.assertRaises(registry.BadTracer) as caught:
                    registry.load(folder)
                self.assertIn(word, str(caught.exception))
                self.assertIn("bad.py", str(caught.exception))


class InductorDumpTest(unittest.TestCase):
    """What two compilations leave, whose folders have random names."""

    def dump(self, *random):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        dump = pathlib.Path(holder.name, "inductor_dump")
        for number, name in enumerate(random):
            code = dump / "cache" / name / "ab" / ("c%d.py" % number)
            code.parent.mkdir(parents=True)
            code.write_text("x = async_compile.cpp_pybinding(['%s/ab', '%s/debug'])" % (code.parent.parent, dump))
        torch_inductor.settle(dump)
        return {str(path.relative_to(dump)): path.read_text() for path in dump.rglob("*") if path.is_file()}

    def test_names_and_texts_are_the_same_in_every_run(self):
        once = self.dump("tmp1abc", "tmp2")
        self.assertEqual(once, self.dump("tmp9", "tmp8zz"))
        self.assertEqual({"cache/ab/c0.py", "cache/ab/c1.py"}, set(once))
        self.assertEqual("x = async_compile.cpp_pybinding(['inductor_dump/cache/ab', 'inductor_dump/debug'])", once["cache/ab/c1.py"])


FOLLOWING = """
import subprocess, sys
sys.path.insert(0, sys.argv[1])
from inferscope.trace import isolation
isolation.enter(0, 0)
import threading
child = subprocess.Popen(["sleep", "300"], stdin=subprocess.DEVNULL)
print(child.pid, threading.active_count(), flush=True)
child.wait()
"""


@tagged("process")
class FollowParentTest(unittest.TestCase):
    """A process of a tracer, whose standard input is a pipe that ends when InferScope does."""

    def start(self, **options):
        return subprocess.Popen([sys.executable, "-B", "-c", FOLLOWING, str(pathlib.Path(__file__).resolve().parent.parent)],
                                stdout=subprocess.PIPE, start_new_session=True, **options)

    def test_the_whole_group_ends_with_the_pipe_and_no_thread_waits_for_it(self):
        process = self.start(stdin=subprocess.PIPE)
        child, threads = map(int, process.stdout.readline().split())
        self.assertEqual(1, threads)
        process.stdin.close()
        self.assertEqual(-signal.SIGKILL, process.wait())
        process.stdout.read()  # Ends when the child has: it holds the other end.
        process.stdout.close()
        with contextlib.suppress(OSError):  # Until it is gone, or a zombie that nobody reaps; one that lives on lets the test hang.
            while "Z (zombie)" not in pathlib.Path("/proc/%d/status" % child).read_text():
                time.sleep(0.01)

    def test_a_pipe_that_has_ended_before_ends_it(self):
        process = self.start(stdin=subprocess.PIPE)
        process.stdin.close()
        self.assertEqual(-signal.SIGKILL, process.wait())
        process.stdout.close()


class OutcomeTest(unittest.TestCase):
    def test_errors_are_classed_by_what_they_are(self):
        no_memory = RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")
        for error, code in ((MemoryError(), outcome.OUT_OF_MEMORY), (no_memory, outcome.OUT_OF_MEMORY),
                            (Unsupported("x"), outcome.UNSUPPORTED), (ModelError("x"), outcome.MODEL_ERROR),
                            (OSError(28, "No space left on device"), outcome.CANNOT_WRITE),
                            (PermissionError(13, "denied"), outcome.CANNOT_WRITE), (TypeError("x"), outcome.MODEL_ERROR)):
            with self.subTest(repr(error)):
                self.assertEqual(code, outcome.code_of(error))

    def test_a_cause_that_says_more_counts(self):
        try:
            try:
                raise MemoryError
            except MemoryError as error:
                raise TypeError("it went wrong") from error
        except TypeError as error:
            self.assertEqual(outcome.OUT_OF_MEMORY, outcome.code_of(error))

    def test_a_reason_is_text_only(self):
        error = ModelError("the entry of tensor \x1b[2J\u202e\ud800 makes\n no sense")
        self.assertEqual("the entry of tensor \\x1b[2J\\u202e\\ud800 makes no sense", outcome.reason_of(error))

    def test_tokens_are_never_told(self):
        self.assertEqual("bad token ***", outcome.redact("bad token hf_abcdefghijklmnopqrstuvwxyz"))
        self.assertEqual("https://***@host/", outcome.redact("https://me:secret@host/"))


if __name__ == "__main__":
    unittest.main()
