"""Hooks and the import watcher, on stand-in libraries that have the real module, class and method names."""

import shutil
import subprocess
import sys
import textwrap
import unittest
from importlib import import_module

from support import PYTHON_FOLDER, Observed, environment, tagged


class StandInTest(Observed):
    ONNX = """import time, types
class InferenceSession:
    def __init__(self, path): self.path, self.since_ns = path, time.time_ns()
    def get_session_options(self):
        return types.SimpleNamespace(enable_profiling=self.path == "profiled.onnx", profile_file_prefix="/tmp/profile_of")
    def get_profiling_start_time_ns(self): return self.since_ns - 5_000_000_000
    def get_providers(self): return ["CPUExecutionProvider"]
    def run(self, outputs, feed, fail=False):
        "Runs."
        if fail: raise KeyError(self)
        return [feed]
"""

    def setUp(self):
        super().setUp()
        self.library("onnxruntime.capi.onnxruntime_inference_collection", self.ONNX)
        (self.folder / "onnxruntime" / "__init__.py").write_text(
            "from onnxruntime.capi.onnxruntime_inference_collection import InferenceSession\n"
            "def get_available_providers(): return ['CUDAExecutionProvider', 'CPUExecutionProvider']\n")

    def test_calls_are_recorded_and_the_function_looks_as_before(self):
        spool = self.run_source("""\
            import inspect, pickle
            import onnxruntime
            session = onnxruntime.InferenceSession("m.onnx")
            assert session.run(None, 5) == [5]
            run = onnxruntime.InferenceSession.run
            assert run.__name__ == "run" and run.__doc__ == "Runs." and run.__qualname__ == "InferenceSession.run"
            assert str(inspect.signature(run)) == "(self, outputs, feed, fail=False)"
            assert pickle.loads(pickle.dumps(run)) is run
            assert type(onnxruntime.__spec__.loader).__name__ == "SourceFileLoader"
            assert "exec_module" not in vars(onnxruntime.__spec__.loader)
            """)
        self.assertEqual([(8, "program.py:2 <module>"), (8, "program.py:3 <module>"), (4, "program.py:4 <module>")],
                         [(span["activity"], span["where"]) for name in ("import onnxruntime", "InferenceSession", "InferenceSession.run")
                          for span in spool.spans(name)])
        self.assertEqual(["CPUExecutionProvider", "CUDAExecutionProvider, CPUExecutionProvider"],
                         [note["value"] for note in spool.of("NOTE") if note["key"].startswith("onnxruntime.providers")])
        source = "hook:onnxruntime.capi.onnxruntime_inference_collection.InferenceSession."
        self.assertEqual([(0, 1, 0)], [(c["status"], c["recorded"], c["missing"]) for c in spool.coverage(source + "run")])
        self.assertEqual([(1, "not in this version")], [(c["status"], c["why"]) for c in spool.coverage(source + "run_with_iobinding")])

    def test_the_instant_from_which_a_profile_counts_is_marked(self):
        spool = self.run_source("""\
            import onnxruntime
            onnxruntime.InferenceSession("m.onnx")
            onnxruntime.InferenceSession("profiled.onnx")
            """)
        mark, = spool.of("MARK")
        opened = spool.spans("InferenceSession")[1]
        self.assertEqual("onnxruntime profile profile_of", mark["name"])
        self.assertLess(abs(opened["start_ns"] - mark["time_ns"] - 5_000_000_000), 100_000_000, (mark, opened))

    def test_the_tuning_of_a_compiled_kernel_is_compiling(self):
        self.library("torch._inductor.runtime.triton_heuristics", """\
            class CachingAutotuner:
                def __init__(self, fn): self.fn = fn
                def autotune_to_one_config(self, *args): return self.benchmark_all_configs(*args)
                def benchmark_all_configs(self, *args): return args
            """)
        spool = self.run_source("""\
            from torch._inductor.runtime.triton_heuristics import CachingAutotuner
            def triton_poi_fused_gelu(): pass
            assert CachingAutotuner(triton_poi_fused_gelu).autotune_to_one_config(3) == (3,)
            """)
        self.assertEqual([(8, "program.py:3 <module>")],
                         [(span["activity"], span["where"]) for span in spool.spans("triton autotune triton_poi_fused_gelu")])

    def test_exceptions_pass_unchanged_and_set_the_flag(self):
        spool = self.run_source("""\
            import onnxruntime
            session = onnxruntime.InferenceSession("m.onnx")
            try:
                session.run(None, 1, fail=True)
            except KeyError as error:
                assert error.args[0] is session and error.__context__ is None and error.__cause__ is None
            else:
                raise SystemExit(3)
            """)
        self.assertEqual([2], [span["flags"] for span in spool.spans("InferenceSession.run")])

    def test_a_missing_target_leaves_a_record(self):
        self.library("onnxruntime.capi.onnxruntime_inference_collection", "class InferenceSession:\n    run = 5\n")
        spool = self.run_source("import onnxruntime\nassert onnxruntime.InferenceSession.run == 5\n")
        source = "hook:onnxruntime.capi.onnxruntime_inference_collection.InferenceSession."
        self.assertEqual([(2, "target is not a function")], [(c["status"], c["why"]) for c in spool.coverage(source + "run")])
        self.library("onnxruntime.capi.onnxruntime_inference_collection", "InferenceSession = None\n")
        for path in self.spool_folder.iterdir():
            path.unlink()
        spool = self.run_source("import onnxruntime\n")
        self.assertEqual([(2, "target not found")], [(c["status"], c["why"]) for c in spool.coverage(source + "run")])

    def test_a_recorder_that_fails_three_times_turns_its_hook_off(self):
        spool = self.run_source("""\
            import onnxruntime
            from inferscope import _recorder
            session = onnxruntime.InferenceSession("m.onnx")
            begin, calls = _recorder.Recorder.begin, []
            def broken(self, name, *rest):
                calls.append(name)
                raise OSError("recorder")
            _recorder.Recorder.begin = broken
            results = [session.run(None, n) for n in range(6)]
            _recorder.Recorder.begin = begin
            assert results == [[n] for n in range(6)] and session.run(None, 7) == [7]
            assert len(calls) == 3, calls
            """)
        source = "hook:onnxruntime.capi.onnxruntime_inference_collection.InferenceSession.run"
        self.assertEqual([(0, None), (2, "turned off after failures: OSError")],
                         [(c["status"], c["why"]) for c in spool.coverage(source)])
        self.assertEqual([], spool.spans("InferenceSession.run"))

    def test_an_import_that_fails_fails_as_before(self):
        self.library("numpy", "import absent_module\n")
        spool = self.run_source("""\
            try:
                import numpy
            except ModuleNotFoundError as error:
                assert error.name == "absent_module"
            import sys
            assert "numpy" not in sys.modules
            try:
                import jax
            except ModuleNotFoundError as error:
                assert error.name == "jax"
            """)
        self.assertEqual([2], [span["flags"] for span in spool.spans("import numpy")])
        self.assertEqual([], spool.spans("import jax"))

    def test_the_traceback_of_an_import_that_fails_shows_the_programs_frames_alone(self):
        self.library("numpy", "import absent_module\n")
        self.library("jax", "raise ValueError(5)\n")
        self.library("torch", "def f(): f.g\nf()\n")
        self.run_source("""\
            import os, traceback
            for name in ("numpy", "jax", "torch"):
                try:
                    __import__(name)
                except Exception as error:
                    files = {os.path.basename(frame.filename) for frame in traceback.extract_tb(error.__traceback__)}
                    assert files == {"program.py", name + ".py"}, files
            """)

    def test_only_the_outermost_import_is_a_span(self):
        self.library("numpy", "X = 1\n")
        self.library("jax", "import numpy\n")
        spool = self.run_source("import jax, numpy\nassert jax.numpy is numpy\n")
        self.assertEqual((1, 0), (len(spool.spans("import jax")), len(spool.spans("import numpy"))))

    def test_a_library_imported_before_the_probe_is_hooked_too(self):
        env = environment(self.spool_folder)
        env["PYTHONPATH"] = ""
        path = self.script("""\
            import onnxruntime, sys
            sys.path.append(%r)
            from inferscope import scope
            onnxruntime.InferenceSession("m").run(None, 1)
            """ % str(PYTHON_FOLDER))
        self.run_python(path, env=env)
        self.assertEqual(1, len(self.only_spool().spans("InferenceSession.run")))

    def test_specs_are_found_without_importing(self):
        spool = self.run_source("""\
            import importlib.util, sys
            assert importlib.util.find_spec("onnxruntime").origin.endswith("__init__.py")
            assert importlib.util.find_spec("tensorflow") is None
            assert "onnxruntime" not in sys.modules
            import onnxruntime
            """)
        self.assertEqual(1, len(spool.spans("import onnxruntime")))


class ThreadTest(Observed):
    def test_threads_are_named_even_without_a_span(self):
        spool = self.run_source("""\
            import threading
            class Own(threading.Thread):
                def run(self): print(self.native_id)
            own = Own(name="no spans here")
            own.start()
            own.join()
            """)
        threads = {thread["name"]: thread for thread in spool.of("THREAD")}
        self.assertIn("no spans here", threads)
        self.assertEqual(spool.header.pid, threads["MainThread"]["tid"])
        self.assertNotEqual(0, threads["no spans here"]["pthread_id"])


class ReadOnlyTest(Observed):
    def test_no_hook_table_imports_its_library(self):
        self.run_python("-c", """if True:
            import sys
            from importlib import import_module
            from inferscope._probe import TABLES
            before = set(sys.modules)
            rows = [row for table in TABLES for row in import_module("inferscope.hooks.%s_hooks" % table).HOOKS]
            imported = {name for name in set(sys.modules) - before if not name.startswith("inferscope")}
            assert imported <= {"zlib"}, imported
            assert len(rows) == len({(row.module, row.path) for row in rows}) > 150, len(rows)
            """)


class ListTest(unittest.TestCase):
    def test_the_list_that_doctor_reads_has_every_hook_of_the_tables(self):
        """`lab/engines --write` writes it."""
        sys.path.insert(0, str(PYTHON_FOLDER))
        self.addCleanup(sys.path.remove, str(PYTHON_FOLDER))
        from inferscope._probe import TABLES

        tables = [import_module("inferscope.hooks.%s_hooks" % name) for name in TABLES]
        lines = (PYTHON_FOLDER / "inferscope/hooks/hooks.tsv").read_text(encoding="utf-8").splitlines()[1:]
        self.assertEqual([(row.module, row.path) for table in tables for row in table.HOOKS], [tuple(line.split("\t")[:2]) for line in lines])
        self.assertEqual({4}, {len(line.split("\t")) for line in lines})


class AgentTest(Observed):
    """The hooks that make the CUDA agent step aside, on a stand-in of torch's profiler and a library of the agent's name that says what it is told."""

    PROFILER = """class profile:
    def __init__(self, *activities): self.kineto_activities = activities
    def __enter__(self): return self._prepare_trace() or self
    def _prepare_trace(self): print("prepared", flush=True)
    def __exit__(self, *error): print("stopped", flush=True)
"""

    AGENT = """#include <stdio.h>
int inferscope_agent_pause(void) { puts("paused"); fflush(stdout); return 1; }
int inferscope_agent_pause_receiver(void) { return inferscope_agent_pause(); }
int inferscope_agent_resume(void) { puts("resumed"); fflush(stdout); return 1; }
int inferscope_agent_resume_beside_hardware(void) { puts("told"); fflush(stdout); return 0; }
int inferscope_agent_stay(void) { puts("stayed"); fflush(stdout); return 1; }
"""

    JAX = """def start_trace(folder):
    if folder is None: raise ValueError
    print("started", flush=True)
def stop_trace(): print("stopped", flush=True)
"""

    def build_agent(self):
        if not shutil.which("gcc"):
            print("skipped: no gcc", file=sys.stderr)
            raise unittest.SkipTest("no gcc")
        agent = self.folder / "libinferscope-agent.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(agent)], input=self.AGENT, text=True, check=True)
        return agent

    @tagged("process", "native")
    def test_the_agent_steps_aside_for_a_profile_of_jax_and_comes_back_even_if_it_does_not_start(self):
        agent = self.build_agent()
        self.library("jax._src.profiler", self.JAX)
        self.library("jax._src.xla_bridge", "import ctypes, os\ndef get_backend(): ctypes.CDLL(os.environ['CUDA_INJECTION64_PATH']); print('initialised', flush=True)\n")
        program = self.folder / "program.py"
        program.write_text(textwrap.dedent("""\
            import jax._src.xla_bridge
            from jax._src.profiler import start_trace, stop_trace
            start_trace("folder")
            stop_trace()
            try:
                start_trace(None)
            except ValueError:
                print("refused", flush=True)
            stop_trace()
            """))
        out = subprocess.run([sys.executable, "-u", str(program)], env=environment(self.folder, CUDA_INJECTION64_PATH=str(agent)), capture_output=True, text=True, check=True)
        self.assertEqual("initialised paused started stopped resumed paused resumed refused stopped".split(), out.stdout.split(), out.stderr)

    @tagged("process", "native")
    def test_the_agent_records_beside_pytorchs_monitor_or_is_told_that_cupti_refused_it(self):
        agent = self.build_agent()
        self.library("torch.profiler._cupti.monitor", "class CuptiMonitor:\n    def start(self, fails):\n        print('subscribed', flush=True)\n        if fails: raise RuntimeError\n")
        program = self.folder / "program.py"
        program.write_text(textwrap.dedent("""\
            import ctypes, os
            ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
            from torch.profiler._cupti.monitor import CuptiMonitor
            CuptiMonitor().start(False)
            try:
                CuptiMonitor().start(fails=True)
            except RuntimeError:
                print("refused", flush=True)
            """))
        out = subprocess.run([sys.executable, "-u", str(program)], env=environment(self.folder, CUDA_INJECTION64_PATH=str(agent)), capture_output=True, text=True, check=True)
        self.assertEqual("paused subscribed resumed paused subscribed stayed refused".split(), out.stdout.split(), out.stderr)

    @tagged("process", "native")
    def test_the_agent_is_told_once_pytorchs_monitor_has_turned_on_tracing_in_hardware(self):
        agent = self.build_agent()
        driver = self.folder / "libcuda.so.1"
        subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(driver)], input="int cuInit(int flags) { return flags; }", text=True, check=True)
        self.library("torch.profiler._cupti.monitor", "def enable_hes_early(fails=False):\n    print('hardware', flush=True)\n    if fails: raise RuntimeError\n")
        program = self.folder / "program.py"
        program.write_text(textwrap.dedent("""\
            import ctypes, os
            from torch.profiler._cupti.monitor import enable_hes_early
            enable_hes_early()
            ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
            enable_hes_early()
            try:
                enable_hes_early(fails=True)
            except RuntimeError:
                print("refused", flush=True)
            """))
        variables = environment(self.folder, CUDA_INJECTION64_PATH=str(agent), LD_LIBRARY_PATH=str(self.folder))
        out = subprocess.run([sys.executable, "-u", str(program)], env=variables, capture_output=True, text=True, check=True)
        self.assertEqual("hardware paused hardware told paused hardware resumed refused".split(), out.stdout.split(), out.stderr)

    @tagged("process", "native")
    def test_the_agent_steps_aside_before_a_profile_of_a_device_and_comes_back_after_it(self):
        agent = self.build_agent()
        self.library("torch.autograd.profiler", self.PROFILER)
        program = self.folder / "program.py"
        program.write_text(textwrap.dedent("""\
            import collections, ctypes, os
            ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
            from torch.autograd.profiler import profile
            activity = collections.namedtuple("activity", "name")
            for names in (["CPU"], ["CPU", "CUDA"]):
                try:
                    with profile(*map(activity, names)):
                        print(names[-1], flush=True)
                        raise KeyError
                except KeyError:
                    pass
            """))
        out = subprocess.run([sys.executable, "-u", str(program)], env=environment(self.folder, CUDA_INJECTION64_PATH=str(agent)), capture_output=True, text=True, check=True)
        self.assertEqual("prepared CPU stopped paused prepared CUDA stopped resumed".split(), out.stdout.split(), out.stderr)



class SameLoadTest(Observed):
    """What is loaded is told by path, time and size, or by name; the path itself is not kept."""

    def test_loads_of_one_file_are_the_same_until_it_changes(self):
        self.library("joblib.numpy_pickle", "def load(filename, mmap_mode=None): return open(filename, 'rb').read()\n")
        spool = self.run_source("""\
            import os, pathlib, ssl
            from joblib import numpy_pickle
            folder = pathlib.Path("secret-folder")
            folder.mkdir()
            model = folder / "model.bin"
            model.write_bytes(b"weights")
            numpy_pickle.load(str(model))
            numpy_pickle.load(filename=model)
            model.write_bytes(b"others!")
            os.utime(model, (1, 1))
            numpy_pickle.load(str(model))
            for _ in range(2): assert ssl.create_default_context().verify_mode == ssl.CERT_REQUIRED
            """)
        loads = [(span["name"], span["detail"]) for span in spool.of("SPAN") if (span["detail"] or "").startswith("same ")]
        files = [detail for name, detail in loads if name == "joblib.load"]
        self.assertEqual(3, len(files))
        self.assertRegex(files[0], r"^same model\.bin [0-9a-f]{8}$")
        self.assertEqual(files[0], files[1])
        self.assertNotEqual(files[0], files[2])
        self.assertEqual([("TLS certificates", "same default certificates")] * 2, [load for load in loads if load[0] != "joblib.load"])
        self.assertNotIn(b"secret-folder", spool.data)

    def test_files_that_own_code_reads_and_parses_are_the_same_and_those_of_libraries_are_not_recorded(self):
        self.library("site-packages.hub", "import json\ndef settings(path):\n    with open(path) as file: return json.load(file)\n")
        spool = self.run_source("""\
            import importlib, io, json, pathlib, pickle
            hub = importlib.import_module("site-packages.hub")
            config, kept = pathlib.Path("config.json"), pathlib.Path("kept.pickle")
            config.write_text('{"secret": 1}')
            kept.write_bytes(pickle.dumps([1]))
            for _ in range(2):
                with config.open() as file: assert json.load(file) == {"secret": 1}
                with open(kept, "rb") as file: assert pickle.load(file) == [1]
                assert config.read_text() == '{"secret": 1}' and kept.read_bytes()
                hub.settings(config)
                json.load(io.StringIO("2")), json.load(fp=io.StringIO("2"))
            class Reader: load = pickle.load
            with open(kept, "rb") as file: assert Reader().load(file) == [1]
            """)
        reads = {}
        for span in spool.of("SPAN"):
            if (span["detail"] or "").startswith("same "):
                reads.setdefault(span["name"], []).append(span["detail"].split()[1])
                self.assertIn("<module>", span["where"])
        self.assertEqual({"json.load": ["config.json"] * 2, "pickle.load": ["kept.pickle"] * 3, "read_text": ["config.json"] * 2,
                          "read_bytes": ["kept.pickle"] * 2}, reads)
        self.assertEqual(2, len([span for span in spool.spans("json.load")]))
        self.assertNotIn(b"secret", spool.data)

    def test_a_text_that_grows_says_how_much_of_it_was_tokenized_before(self):
        self.library("tokenizers", "class Tokenizer:\n    def encode(self, sequence, pair=None): return sequence.split()\n")
        spool = self.run_source("""\
            from tokenizers import Tokenizer
            tokenizer, asked, other = Tokenizer(), "secret " * 100, "another " * 100
            tokenizer.encode(asked)
            tokenizer.encode(other)
            tokenizer.encode(asked)
            tokenizer.encode(sequence=asked + "and more " * 20)
            tokenizer.encode(other + "x" * 800)
            tokenizer.encode("short"), tokenizer.encode("short and longer"), tokenizer.encode("")
            """)
        self.assertEqual([None, None, None, "again 79", "again 50", None, None, None],
                         [span["detail"] or None for span in spool.spans("tokenize")])
        self.assertNotIn(b"secret", spool.data)

    def test_the_beginning_of_a_conversation_is_that_of_its_messages(self):
        sys.path.insert(0, str(PYTHON_FOLDER))
        from inferscope import _same

        talk = [{"role": "user", "content": "a" * 300}]
        self.assertEqual("", _same.repeated(talk))
        talk.append({"role": "assistant", "content": None, "tool_calls": []})
        self.assertEqual("again 98", _same.repeated(talk))
        self.assertEqual("", _same.repeated(["a", "b"]))
        self.assertEqual("", _same.repeated(None))


class PlaceTest(unittest.TestCase):
    """Library code that looks for its caller: the line that starts a loop is none for the loop's tasks, which have lines of their own."""

    LIBRARY = compile("async def work(look): look(sys._getframe())", "/usr/lib/python3/site-packages/library.py", "exec")
    PROGRAM = "import asyncio\nasync def own(look):\n    await work(look)\nasyncio.run(start(look))"

    def places(self, start):
        where, found = import_module("inferscope._where").Where(lambda name: name), []
        names = {"sys": sys, "look": lambda frame: found.append(where.find(frame))}
        exec(self.LIBRARY, names)
        exec(compile(self.PROGRAM.replace("start", start), "/somewhere/program.py", "exec"), names)
        return found

    def test_a_task_has_its_own_lines_and_not_that_of_its_loop(self):
        self.assertEqual([0], self.places("work"))
        self.assertRegex(self.places("own")[0], r"^/somewhere/program\.py:3 own$")

    def test_library_code_is_learned_once_whatever_its_line(self):
        where, names = import_module("inferscope._where").Where(lambda name: name), {"sys": sys}
        exec(compile("def twice(look): look(sys._getframe()); look(sys._getframe())", "/usr/lib/python3/site-packages/library.py", "exec"), names)
        names["twice"](where.find)
        self.assertEqual((1, 1), (len(where.known), len(where.passed)))


if __name__ == "__main__":
    unittest.main()
