"""The comparisons of lab/gpu-check on traces written here, each also on one that must not pass; and the GPU zoo's programs on their stand-in."""

import functools
import gzip
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import REPOSITORY, Copies, Observed, environment, tagged

ZOO = REPOSITORY / "examples" / "gpu_zoo"


def load(name):
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "lab" / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


checks = load("gpu_checks")
judging = load("gpu_judging")
ADD_NAME = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>"


def call(number, ts, name="cudaLaunchKernel", pid=1):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": pid, "tid": 1, "ts": ts, "dur": 5, "args": {"correlation": number}}


def kernel(number, ts, name=ADD_NAME, dur=10):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": {"correlation": number}}


def copy(name, size=64):
    return {"ph": "X", "cat": "gpu_memcpy", "name": name, "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"bytes": size}}


def on_thread(category, name, tid=1):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": tid, "ts": 1, "dur": 1, "args": {}}


def counter(name, value):
    return {"ph": "C", "name": name, "pid": 0, "ts": 1, "args": {"value": value, "inferscope_track": "#32"}}


class ChecksTest(unittest.TestCase):
    def trace(self, events, others=(), notes=()):
        properties = [{"ph": "M", "name": "process_labels", "args": {"inferscope_property": key, "value": value}} for key, value in dict(notes).items()]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json.gz"
            with gzip.open(path, "wt") as file:
                json.dump({"traceEvents": events + properties, **dict(others)}, file)
            return checks.Trace(path)

    def assert_states(self, expected, *results):
        self.assertEqual(expected.split(), [state for state, _ in results], results)

    def test_the_stand_in_for_cuda_is_held_to_what_it_did(self):
        truth = {"kernels": 3, "copies": 1, "bytes": 64, "replays": 1, "in_replay": 2, "names": {"gemm", "replayed"}, "launches": 1, "range": "step", "waits": 1}
        right = [on_thread("user_annotation", "step"), on_thread("cuda_sync", "Stream Wait Event"),
                 call(1, 0), kernel(1, 9, "gemm"), call(2, 20, "cudaGraphLaunch"), kernel(2, 30, "replayed"), kernel(2, 40, "replayed"), copy("HtoD")]
        wrong = (right[:-1], right[:-2], right[:2] + [call(1, 10)] + right[3:], right + [kernel(3, 50, "other")], right[1:], right[:1] + right[2:])
        results = [checks.stand_in_device(self.trace(events), truth) for events in (right, *wrong)]
        self.assert_states("pass FAIL FAIL FAIL FAIL FAIL FAIL", *results)

    def test_launches_and_ranges_lie_on_their_thread_and_waits_are_counted(self):
        events = [call(1, 0), call(2, 9), on_thread("user_annotation", "step", tid=4), on_thread("cuda_sync", "Stream Wait Event")]
        events[0]["tid"] = events[1]["tid"] = 4
        truth = {"thread": 4, "launches": 2, "range": "step", "waits": 1}
        other_thread, more_waits = dict(truth, thread=1), dict(truth, waits=2)
        self.assert_states("pass FAIL FAIL", *[checks.streams(self.trace(events), wanted) for wanted in (truth, other_thread, more_waits)])

    def test_the_programs_own_profile_is_whole_and_the_agent_records_around_it(self):
        alone, truth = self.trace([kernel(1, 100), kernel(2, 200)]), {"outside": 2}
        whole, less, renamed = [kernel(8, 10), kernel(9, 20)], [kernel(8, 10)], [kernel(8, 10), kernel(9, 20, "other")]
        around = [kernel(1, 1), kernel(7, 30)]
        results = [checks.compare_profiles(alone, self.trace(beside), self.trace(ours), truth)
                   for beside, ours in ((whole, around), (less, around), (renamed, around), (whole, around[:1]))]
        self.assert_states("pass FAIL FAIL FAIL", *results)
        self.assert_states("FAIL", checks.compare_profiles(self.trace([]), self.trace([]), self.trace(around), truth))

    def test_launched_kernels_are_counted_without_the_fill(self):
        trace = self.trace([kernel(1, 1), kernel(2, 2), kernel(3, 3, "vectorized_elementwise_kernel<4, FillFunctor<float>>")])
        self.assert_states("pass FAIL", checks.count_adds(trace, {"kernels": 2}), checks.count_adds(trace, {"kernels": 3}))

    def test_a_program_without_cudart_may_have_no_libcupti_to_find(self):
        self.assertIn('"%s' % checks.NO_LIBCUPTI, (REPOSITORY / "native" / "agent" / "find.c").read_text())
        none, refused = [{"inferscope": {"coverage": [{"source": "cuda-agent", "why": why}]}} for why in (checks.NO_LIBCUPTI + ": not loaded", "refused")]
        traces = [self.trace([kernel(1, 1)]), self.trace([], none), self.trace([], refused)]
        self.assert_states("pass unproven FAIL", *[checks.count_without_cudart(one, {"kernels": 1}) for one in traces])

    def test_a_kernel_before_its_launch_fails(self):
        right, early = [call(1, 10), kernel(1, 12)], [call(1, 10), kernel(1, 12), call(2, 20), kernel(2, 19)]
        self.assert_states("pass FAIL FAIL", *[checks.clock_order(self.trace(one)) for one in (right, early, [kernel(1, 1)])])

    def test_replays_own_their_kernels(self):
        truth = {"replays": 2, "in_replay": 2}
        whole = [call(1, 0, "cudaGraphLaunch"), call(2, 50, "cudaGraphLaunch"), kernel(1, 10), kernel(1, 20), kernel(2, 60), kernel(2, 70)]
        self.assert_states("pass FAIL", *[checks.graph_replays(self.trace(one), truth) for one in (whole, whole[:-1])])
        self.assertIn("busy 57 %", checks.graph_replays(self.trace(whole), truth)[1])

    def test_time_under_overlapping_kernels_counts_once(self):
        self.assertEqual(25, checks.union_us([kernel(1, 0), kernel(2, 5, dur=10), kernel(3, 20)]))

    def test_copies_are_counted_by_direction_and_memory(self):
        names = ("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)", "Memcpy DtoH (Device -> Pinned)")
        truth = {"copies": 1, "bytes": 64}
        whole = [copy(name) for name in names]
        wrong_bytes = whole[:3] + [copy(names[3], 32)]
        self.assert_states("pass FAIL FAIL", *[checks.copies(self.trace(one), truth) for one in (whole, whole[1:], wrong_bytes)])

    def test_kernels_of_several_processes_have_several_owners(self):
        truth = {"kernels": 2, "processes": 2}
        two = [call(1, 0), call(2, 0, pid=2), kernel(1, 5), kernel(2, 5)]
        one = [call(1, 0), call(2, 0), kernel(1, 5), kernel(2, 5)]
        self.assert_states("pass FAIL", *[checks.several_processes(self.trace(some), truth) for some in (two, one)])

    def test_the_drivers_counters_are_held_against_cuda(self):
        truth = {"memory_total_bytes": 100, "devices": 1}
        total, busy, idle = (counter(name + '{device="0"}', value) for name, value in (
            ("nvml.memory_total_bytes", 100), ("nvml.utilisation_ratio", 0.9), ("nvml.utilisation_ratio", 0.1)))
        self.assert_states("pass FAIL FAIL", *[checks.driver_counters(self.trace(one), truth) for one in ([total, busy], [total, idle], [busy])])

    def test_the_stand_ins_counters_are_known(self):
        total = [counter('nvml.memory_total_bytes{device="%d"}' % number, 80 << 30) for number in (0, 1)]
        busy = [[counter('nvml.utilisation_ratio{device="0"}', value)] for value in (0.45, 0.9)]
        self.assert_states("pass FAIL FAIL", *[checks.stand_in_counters(self.trace(one)) for one in (total + busy[0], total + busy[1], busy[0])])

    def test_slow_downs_are_medians_of_pairs(self):
        plain, noisy, profiled = [1, 1.05, 1, 1], [1, 2, 1, 1], [1.5, 1.5, 1.5, 1.5]
        some = ((plain, [1.04, 1.06, 1.03, 9]), (plain, [1.06, 1.14, 1.08, 1.07]), (plain, [1.07, 1.16, 1.04, 1.01]), (noisy, [1.06, 2.14, 1.08, 1.07]),
                (noisy, [1.4, 2.8, 1.7, 1.8]), ([1, 1], [1.06, 1.06]))
        judged = [checks.overhead(times, {"run": ours, "torch.profiler": profiled}, 0.05) for times, ours in some]
        self.assert_states("pass FAIL unproven unproven FAIL unproven", *judged)
        self.assertIn("torch.profiler +50.0 % (+42.9 to +50.0), medians of 4 pairs; without recording 1.000 to 1.050 s", judged[0][1])

    def test_a_diagnosis_needs_a_library_and_calls_that_came_back(self):
        events = [call(1, 0), kernel(1, 9)]
        notes = {"process.7.cupti": "API 26, the system's", "process.7.cuda_flushes": "10, mean 2.0 us, longest 9.0 us; 9 of the agent's own calls were recorded"}
        deaf = dict(notes, **{"process.7.cuda_flushes": notes["process.7.cuda_flushes"].replace("; 9", "; 3")})
        none = dict(notes, **{"process.7.cuda_flushes": "0, mean 0.0 us, longest 0.0 us; 0 of the agent's own calls were recorded"})
        refused = {"inferscope": {"coverage": [{"source": "cuda-agent", "recorded": 1, "missing": 1, "why": "libcupti refused cuptiActivityEnable(36): error 1"}]}}
        wrong = [checks.diagnosis(self.trace(*one)) for one in ((events, (), deaf), (events, refused, notes), (events,), ([], (), notes), (events, (), none))]
        self.assert_states("pass FAIL FAIL FAIL FAIL FAIL", checks.diagnosis(self.trace(events, notes=notes)), *wrong)
        self.assertIn("refused cuptiActivityEnable(36)", wrong[1][1])

    def test_the_log_that_cupti_writes_is_in_the_diagnosis(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "cupti.log"
            self.assertEqual("CUPTI's own log: nothing written", checks.own_log(log))
            log.write_text("err|Cupti_Public|CUPTI Error 35: X\n\nerr|Cupti_Public|CUPTI Error 35: X\n")
            self.assertEqual("CUPTI's own log: err|Cupti_Public|CUPTI Error 35: X", checks.own_log(log))
            log.write_text("".join("line %d\n" % number for number in range(checks.LOGGED + 2)))
            self.assertTrue(checks.own_log(log).endswith("line %d, and 2 more" % (checks.LOGGED - 1)), checks.own_log(log))

    def enable(self, libcupti, log, variables=()):
        """Asks a libcupti for kernels, with its own log turned on."""
        settings = pathlib.Path(str(log) + ".settings")
        settings.write_text(checks.log_settings(log))
        code = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).cuptiActivityEnable(10) == 0)"
        done = subprocess.run([sys.executable, "-c", code, str(libcupti)], env={**os.environ, "NVLOG_CONFIG_FILE": str(settings), **dict(variables)}, capture_output=True)
        self.assertEqual(0, done.returncode, done)
        return checks.own_log(log)

    @tagged("process", "native")
    def test_cuptis_own_log_says_what_was_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            library, log = pathlib.Path(folder) / "libcupti.so.13", pathlib.Path(folder) / "a log"
            source = REPOSITORY / "native" / "stubs" / "cupti.c"
            subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
            said = self.enable(library, log, {"STUB_REFUSE": "35"})
            self.assertIn("err|Cupti_Public|CUPTI Error 35: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", said)

    @tagged("process", "native")
    def test_nvidias_own_libcupti_takes_the_settings_of_the_log(self):
        found = sorted((REPOSITORY / "inferscope-collectors/target/cupti").glob("libcupti-13.*/nvidia/cu13/lib/libcupti.so.13"))
        if not found:
            self.skipTest("no libcupti of CUDA 13: scripts/fetch-cupti fetches one")
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("err|Cupti_Public|CUPTI Error ", self.enable(found[0], pathlib.Path(folder) / "a log"))

    def test_replays_in_windows_have_all_their_kernels_and_none_is_between_them(self):
        truth, pause = {"replays": 3, "in_replay": 2}, 150_000
        launches = [call(1, 0, "cudaGraphLaunch"), call(1, pause, "cudaGraphLaunch")]
        right = [dict(kernel(1, ts), args={"correlation": 1, "detail": "grid 1x1x1, graph 2 node 7"}) for ts in (10, 20, pause + 10, pause + 20)]
        some = [launches + right, launches + right[:3], launches[:1] + right[:2], launches + [call(3, pause + 50, "cudaGraphLaunch")] + right]
        self.assert_states("pass FAIL FAIL FAIL", *[checks.graphs_in_windows(self.trace(one), truth) for one in some])

    @tagged("process")
    def test_programs_that_start_together_are_timed_one_after_another_for_the_steps_that_the_first_one_chose(self):
        code = "import sys, time; sys.path.insert(0, %r); from turns import turn\nwith turn(100) as steps: begin = time.monotonic(); time.sleep(0.1); end = time.monotonic()\nprint(begin, end, steps)"
        command = [sys.executable, "-c", code % str(REPOSITORY / "examples/gpu_checks")]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ, GPU_CHECK_TURNS=name, GPU_CHECK_TURN=str(number), GPU_CHECK_RUNS="3"))
                       for number in range(3)]
            first = started[0].communicate()[0].split()
            (folder / "steps").write_text("700", encoding="utf-8")
            (folder / "done-0").touch()
            timed = [first] + [one.communicate()[0].split() for one in started[1:]]
        self.assertEqual(["100", "700", "700"], [one[2] for one in timed])
        for one, following in zip(timed, timed[1:]):
            self.assertLessEqual(float(one[1]), float(following[0]))

    def test_replays_of_a_compiled_program_have_kernels(self):
        launches = [call(1, 0, "cudaGraphLaunch"), call(2, 50, "cudaGraphLaunch")]
        some = [checks.compiled(self.trace(one), {"replays": 2}) for one in (launches + [kernel(1, 9), kernel(2, 60)], launches + [kernel(1, 9)], launches[:1] + [kernel(1, 9)])]
        self.assert_states("pass FAIL FAIL", *some)

    def test_the_agent_records_beside_a_profiler_of_several_subscribers(self):
        truth = {"before": 1, "profiled": 1, "after": 1, "seen": 1}
        several, alone = [{"process.7.cupti": "API 130300, the system's; " + how} for how in ("one of several subscribers", "the only receiver")]
        events = [kernel(1, 9), kernel(2, 60), kernel(3, 90)]
        some = [(events, several, truth), (events[:2], several, truth), (events[:1], alone, truth), (events, several, dict(truth, seen=0)), ([], alone, truth)]
        self.assert_states("pass FAIL pass FAIL FAIL", *[checks.beside_subscriber(self.trace(one, notes=notes), said) for one, notes, said in some])

    def test_a_pause_is_no_loss(self):
        truth, around = {"kernels": 2, "idle_s": 5}, [kernel(1, 0), kernel(2, 5_000_000)]
        lost = {"inferscope": {"coverage": [{"source": "cuda-agent", "why": "device work is not known from 1 to 2 s"}]}}
        some = [checks.idle(self.trace(*one), truth) for one in ((around,), (around, lost), (around[:1],), ([kernel(1, 0), kernel(2, 9)],))]
        self.assert_states("pass FAIL FAIL FAIL", *some)

    def test_windows_leave_pauses_of_their_length(self):
        def at(*seconds):
            return self.trace([kernel(i, 1e6 * one) for i, one in enumerate(seconds)])

        some = [checks.windows(one) for one in (at(0, 0.2, 0.8, 1.0, 1.5), at(0, 0.2, 0.4, 0.6), at(0, 0.2, 1.3, 1.5, 2.1))]
        self.assert_states("pass FAIL FAIL", *some)

    def test_a_program_that_is_attached_to_ran_before_and_after(self):
        def over(seconds):
            return self.trace([kernel(number, number * 1e5) for number in range(int(10 * seconds) + 1)])

        results = [checks.attached(over(2), {"kernels": launched}, 3) for launched in (50, 21)]
        self.assert_states("pass FAIL FAIL FAIL", *results, checks.attached(over(1), {"kernels": 50}, 3), checks.attached(self.trace([]), {"kernels": 50}, 3))

    def test_the_newest_kernels_are_the_last_ones(self):
        calls, truth = [call(number, number * 1e6) for number in range(9)], {"kernels": 9}
        some = [checks.newest(self.trace(calls + [kernel(number, number * 1e6 + 9) for number in numbers]), truth) for numbers in ((7, 8), (0, 1), range(9))]
        self.assert_states("pass FAIL FAIL", *some)

    @tagged("process")
    def test_rows_are_chosen_and_the_table_is_written_after_each(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table.md"
            command = [sys.executable, str(REPOSITORY / "lab" / "gpu-check"), "--python", "/bin/false", "--no-stand-ins", "-o", str(table), "--rows"]
            done = subprocess.run(command + ["0,4-6"], capture_output=True, text=True)
            self.assertEqual(0, done.returncode, done)
            numbers = [line.split()[1] for line in table.read_text().splitlines() if line.startswith("| ")][1:]
            self.assertEqual(["0.", "4.", "5.", "6."], numbers)
            self.assertEqual(2, subprocess.run(command + ["99"], capture_output=True).returncode)

    @staticmethod
    @functools.lru_cache(None)
    def simulated():
        """What gpu-check prints of rows over the stand-ins."""
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(REPOSITORY / "lab" / "gpu-check"), "--simulated", "--rows", "20,26", "-o", folder + "/table.md"]
            done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, INFERSCOPE_BUILD="never"))
        return done.stdout + done.stderr

    @tagged("process", "native", "built")
    def test_a_jvm_records_itself_over_the_stand_ins(self):
        self.assertIn("| pass | 500 kernels of 500; JVM ", self.simulated())

    @tagged("process", "native", "built")
    def test_brief_threads_have_their_own_launches_over_the_stand_ins(self):
        self.assertIn("| pass | 50 threads of 50 have their own 5 launches |", self.simulated())

    def test_a_launch_on_another_thread_than_its_own_is_found(self):
        def calls(*threads):
            return self.trace([dict(call(number, number * 1e6), tid=thread) for number, thread in enumerate(threads)])

        truth = {"threads": [7, 8], "launches": 2}
        some = [checks.brief_threads(calls(*threads), truth) for threads in ((7, 7, 8, 8), (7, 7, 7, 8), (7, 7, 8))]
        self.assert_states("pass FAIL FAIL", *some)

    @tagged("process")
    def test_without_a_gpu_every_row_is_unproven(self):
        done = subprocess.run([sys.executable, str(REPOSITORY / "lab" / "gpu-check"), "--python", "/bin/false", "--no-stand-ins"], capture_output=True, text=True)
        rows = [line for line in done.stdout.splitlines() if line.startswith("| ")][1:]
        self.assertEqual((0, True), (done.returncode, len(rows) > 8), done.stderr)
        self.assertTrue(all("| unproven | no torch in false: --python names an interpreter |" in row for row in rows), rows)

    @tagged("process")
    def test_it_starts_without_a_path_and_names_an_interpreter_that_cannot_be_executed(self):
        command = ["/usr/bin/env", "-i", sys.executable, str(REPOSITORY / "lab" / "gpu-check"), "--no-stand-ins", "--python"]
        done = subprocess.run(command + ["/bin/false"], capture_output=True, text=True)
        self.assertEqual((0, True), (done.returncode, done.stdout.rstrip().endswith("unproven")), done)
        done = subprocess.run(command + ["/no/such/python"], capture_output=True, text=True)
        self.assertEqual((1, ""), (done.returncode, done.stdout), done)
        self.assertIn("gpu-check: /no/such/python cannot be executed", done.stderr)


class JudgingTest(unittest.TestCase):
    TRUTH = {"program": "item_per_token.py", "steady_ns": 1000, "planted": {"classes": ["framework.launch", "cpu.python"], "planted_ns": 400}}

    def report(self, shares, causes=("framework.launch",), severity="warning"):
        classes = [{"id": name, "share": share} for name, share in shares.items()]
        finding = {"rule": "launch-bound", "severity": severity, "causes": list(causes)}
        return {"ledgers": [{"part": "window", "classes": classes}], "findings": [finding]}

    def test_the_classes_of_a_plant_are_added_up(self):
        right = self.report({"framework.launch": 0.3, "cpu.python": 0.09, "gpu.compute": 0.61})
        self.assertEqual([], judging.judge(self.TRUTH, right)[0])
        for wrong in (self.report({"framework.launch": 0.2}), self.report({"framework.launch": 0.4}, causes=["wait.gil"])):
            self.assertEqual(1, len(judging.judge(self.TRUTH, wrong)[0]))

    def test_a_healthy_program_keeps_its_device_busy_and_has_no_loud_finding(self):
        truth = {"program": "healthy_compute.py", "steady_ns": 1000, "planted": None}
        right = self.report({"gpu.compute": 0.97}, severity="info")
        self.assertEqual([], judging.judge(truth, right)[0])
        self.assertEqual(2, len(judging.judge(truth, self.report({"gpu.compute": 0.5}))[0]))


    def test_a_shared_device_is_the_first_loud_finding(self):
        truth = {"program": "shared_device.py", "planted": None, "shared": True}
        for rule, severity, problems in (("shared-device", "warning", 0), ("shared-device", "info", 1), ("gpu-idle", "warning", 1)):
            report = self.report({"gpu.compute": 0.9}, severity=severity)
            report["findings"][0]["rule"] = rule
            self.assertEqual(problems, len(judging.judge(truth, report)[0]), (rule, severity))

    def test_clocks_are_judged_by_what_the_drivers_tool_says(self):
        for reasons, rule, problems in (("0x4", "power-capped", 0), ("0x4", "gpu-bound", 1), ("0x24", "clocks-held-down", 0), ("0x24", "power-capped", 1), ("0x1", "gpu-bound", 0)):
            truth = {"program": "clocks.py", "planted": None, "driver": [[["1410", "1980", "690.1", reasons]], [["1980", "1980", "100", reasons]]]}
            report = self.report({"gpu.compute": 0.9}, severity="info")
            report["findings"][0]["rule"] = rule
            self.assertEqual(problems, len(judging.judge(truth, report)[0]), (reasons, rule))


@unittest.skipUnless(os.environ.get("INFERSCOPE_TEST_TORCH") == "1", "the zoo's programs need torch: INFERSCOPE_TEST_TORCH=1")
@tagged("process", "torch")
class StandInTest(Observed):
    def run_program(self, file, plant):
        """Returns the program's truth; a slow machine may not come to the plant in the shortest time."""
        for seconds in ("0.2", "4", "40"):
            words = [file, "--stand-in", "--seconds", seconds, "--plant", plant]
            Copies.with_torch().begin(self.folder, environment(), *words, before="sys.path.insert(0, %r)\n" % str(ZOO))
            self.assertEqual(0, Copies.with_torch().end(), (self.folder / "stderr").read_text())
            truth = json.loads((self.folder / "stdout").read_text().splitlines()[-1])
            # A replay does nothing here, so a step may take no longer than a dense one.
            if plant == "off" or not truth["planted"] or truth["planted"]["planted_ns"] + truth.get("dense_step_ns", 0) > 0:
                return truth
        self.fail("%s: nothing planted in %s" % (file.stem, truth))

    def run_programs(self, plant):
        for file in sorted(ZOO.glob("*.py")):
            if file.stem == "gpu":
                continue
            with self.subTest(file.stem):
                truth = self.run_program(file, plant)
                self.assertEqual((plant, "stand-in"), (truth["plant"], truth["device"]))
                self.assertGreater(truth["steady_ns"], 0)

    def test_every_program_runs_and_tells_its_truth(self):
        self.run_programs("on")

    @tagged("slow")
    def test_every_program_runs_without_its_plant(self):
        self.run_programs("off")


if __name__ == "__main__":
    unittest.main()
