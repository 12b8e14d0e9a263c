"""What lab/gpu/experiments decides from figures, and what its recorder counts over the tests' stand-ins for libcuda and libcupti."""

import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

from support import REPOSITORY


def load():
    loader = importlib.machinery.SourceFileLoader("gpu_experiments", str(REPOSITORY / "lab" / "gpu" / "experiments"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_experiments", loader))
    loader.exec_module(module)
    return module


experiments = load()
BOTH = "kernels and launches of both"


class DecisionsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def results(self, costs, counts=None, noise=0.01):
        """costs: by name of a way, of launch-bound decode."""
        results = experiments.Results(pathlib.Path(self.folder.name) / "results.jsonl")
        for sign in (-1, 1):
            ways = {experiments.AA.key(): (1 + sign * noise, {})}
            ways.update({way.key(): (1 + costs[way.name], (counts or {}).get(way.name, {})) for way in experiments.WAYS if way.name in costs})
            results.add("launch_bound", 0, 1.0, ways)
        return results

    def decided(self, *args, **kwargs):
        return "\n".join(experiments.decided(self.results(*args, **kwargs)))

    def test_switches_that_record_launches_cheaply_decide_for_them(self):
        said = self.decided({"all kinds": 0.7, "kernels alone": 0.04, BOTH: 0.08}, {BOTH: {"kind_5": 100}})
        self.assertIn("part 2 decides: %s costs +8.0 %%." % BOTH, said)

    def test_switches_that_cost_as_much_as_all_kinds_decide_for_own_hooks(self):
        said = self.decided({"all kinds": 0.7, "kernels alone": 0.04, BOTH: 0.65}, {BOTH: {"kind_5": 100}})
        self.assertIn("part 3 decides", said)

    def test_cheap_switches_that_record_nothing_decide_nothing_for_them(self):
        said = self.decided({"all kinds": 0.7, "kernels alone": 0.04, BOTH: 0.04}, {BOTH: {"kind_10": 100, "refused": 8, "switched": 8}})
        self.assertIn("0 calls seen, 8 of 8 requests refused", said)
        self.assertIn("part 3 decides", said)

    def test_a_difference_within_the_noise_is_none(self):
        costs = {"all kinds": 0.7, "kernels alone": 0.05, "kernels and memcpy": 0.06, "kernels and runtime": 0.6, "kernels, a flush a second": 0.04}
        said = self.decided(costs)
        self.assertIn("no dearer than kernels alone: kernels and memcpy. Points dearer: kernels and runtime +55.0.", said)
        self.assertIn("kernels, a flush a second -1.0 points (noise)", said)
        self.assertIn("no dearer than kernels alone: none.", self.decided(costs, noise=0.001))

    def test_without_its_two_measures_nothing_is_decided(self):
        self.assertIn("launch_bound: undecided", self.decided({"all kinds": 0.7}))
        self.assertIn("graph: undecided", self.decided({"all kinds": 0.7, "kernels alone": 0.04}))

    def test_a_failed_run_is_in_the_table_and_each_result_is_written_as_it_comes(self):
        results = self.results({"all kinds": 0.7, "kernels alone": 0.04})
        results.add("launch_bound", 1, 1.0, {"E1: kernels and memcpy": (None, {"error": "exit code 139"})})
        self.assertIn("| E1: kernels and memcpy | exit code 139 | not run |", experiments.table(results, "about"))
        self.assertEqual(7, len(results.log.read_text(encoding="utf-8").splitlines()))


@unittest.skipUnless(shutil.which("gcc") and sys.platform == "linux", "needs gcc")
class RecorderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.top = pathlib.Path(cls.folder.name)
        cls.stand_ins = experiments.gpu.build_stand_ins(types.SimpleNamespace(top=cls.top))
        cls.recorder = experiments.build(cls.top)

    def counted(self, *steps, **variables):
        out = self.top / "counted"
        out.unlink(missing_ok=True)
        environment = dict(os.environ, LD_LIBRARY_PATH=str(self.stand_ins), CUDA_INJECTION64_PATH=str(self.recorder), RECORDER_OUT=str(out),
                           RECORDER_CUPTI=str(self.stand_ins / "libcupti.so.13"), **variables)
        subprocess.run([str(self.stand_ins / "program"), *steps], env=environment, check=True, stdout=subprocess.DEVNULL)
        return experiments.counted(out)

    def test_records_of_the_kinds_that_are_asked_for(self):
        counts = self.counted("launch:1000", "copy:5", RECORDER_KINDS="10,1")
        self.assertEqual((1000, 5, None), (counts["kind_10"], counts["kind_1"], counts.get("kind_5")))

    def test_calls_without_their_kind_and_calls_switched_off_again(self):
        counts = self.counted("launch:100", "copy:5", "quiet:7", "driver:3", RECORDER_KINDS="10", RECORDER_RUNTIME="cudaLaunchKernel*")
        self.assertEqual((100, None), (counts["kind_5"], counts.get("kind_4")))
        counts = self.counted("launch:100", "quiet:7", RECORDER_KINDS="10,5", RECORDER_QUIET="cudaGetDevice")
        self.assertEqual(100, counts["kind_5"])

    def test_invalid_stamps_are_counted_and_the_first_is_named(self):
        counts = self.counted("launch:10", "graph:5:20", RECORDER_KINDS="10", STUB_INVALID="31")
        self.assertEqual((110, 70, 41), (counts["kind_10"], counts["invalid"], counts["first_invalid"]))

    def test_attributes_and_refusals(self):
        self.assertEqual(0, self.counted("launch:10", RECORDER_KINDS="10", RECORDER_ATTRIBUTES="0*8,8=0")["refused"])
        self.assertEqual(2, self.counted("launch:10", RECORDER_KINDS="10,5", STUB_REFUSE="35", RECORDER_ATTRIBUTES="0*8")["refused"])


if __name__ == "__main__":
    unittest.main()
