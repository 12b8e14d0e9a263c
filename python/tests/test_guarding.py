"""What ``lab/bench guard`` concludes from rounds of (base, base again, this)."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "lab/benching")]

import guarding  # noqa: E402

JITTER = (1.0, 0.99, 1.01, 0.995, 1.005, 1.0, 0.99)


def rounds(times, again=1.0, jitter=JITTER):
    """Rounds in which base again costs `again` and this tree `times` as much as base, a round beside the next one."""
    other = jitter[1:] + jitter[:1]
    return [(2.0 * one, 2.0 * again * two, 2.0 * times * three) for one, two, three in zip(jitter, other, other[1:] + other[:1])]


class JudgeTest(unittest.TestCase):
    def test_only_what_is_worse_by_more_than_three_percent_beyond_its_interval_is(self):
        for times, expected in ((1.2, "worse"), (1.06, "worse"), (1.04, "same"), (1.0, "same"), (0.97, "same"), (0.8, "better")):
            self.assertEqual(expected, guarding.judge("x", rounds(times)).outcome, times)

    def test_one_slow_round_of_seven_does_not_decide(self):
        several = rounds(1.0)
        several[3] = (2.0, 2.0, 3.0)
        self.assertEqual("same", guarding.judge("x", several).outcome)
        several = rounds(1.2)
        several[3] = (2.0, 2.0, 1.9)
        self.assertEqual("same", guarding.judge("x", several).outcome)

    def test_what_differs_from_itself_by_as_much_is_not_judged(self):
        for times, again in ((1.12, 1.1), (1.0, 1.1), (0.8, 1.1), (1.0, 0.9), (0.95, 0.9)):
            self.assertEqual("unjudged", guarding.judge("x", rounds(times, again=again)).outcome, (times, again))

    def test_what_differs_from_itself_by_much_less_is_worse(self):
        for times, again in ((2.0, 1.036), (1.5, 1.1), (1.5, 0.9)):
            self.assertEqual("worse", guarding.judge("x", rounds(times, again=again)).outcome, (times, again))
        exact = [(1.0, control, 2.0) for control in (1.035, 1.036, 1.037, 1.035, 1.036, 1.037, 1.036)]
        self.assertEqual("worse", guarding.judge("x", exact).outcome)

    def test_what_could_not_be_judged_is_counted_and_named(self):
        found = [guarding.judge("start", rounds(1.0, again=1.1)), guarding.judge("run", rounds(1.0))]
        self.assertEqual("1 of 2 measures could not be judged: start", guarding.unjudged(found))
        self.assertEqual("", guarding.unjudged(found[1:]))

    def test_what_varies_as_much_by_itself_is_not_judged(self):
        several = rounds(1.12)
        several[5] = (2.0, 2.8, 2.24)
        self.assertEqual("unjudged", guarding.judge("x", several).outcome)
        several[5] = (2.0, 2.1, 2.24)
        self.assertEqual("worse", guarding.judge("x", several).outcome)

    def test_drift_that_the_control_shows_is_taken_off(self):
        self.assertEqual("worse", guarding.judge("x", rounds(1.055)).outcome)
        self.assertEqual("same", guarding.judge("x", rounds(1.055, again=1.025)).outcome)

    def test_the_medians_are_those_of_base_and_this(self):
        judged = guarding.judge("x", rounds(1.5))
        self.assertAlmostEqual(2.0, judged.base)
        self.assertAlmostEqual(3.0, judged.this)
        self.assertAlmostEqual(1.5, judged.ratio[0], delta=0.02)


class FirstWorseTest(unittest.TestCase):
    def test_it_is_the_commit_from_which_on_the_ratio_is_high(self):
        for first in range(10):
            asked = []

            def ratio_of(commit):
                asked.append(commit)
                return 1.2 if commit >= first else 1.01

            self.assertEqual(first, guarding.first_worse(list(range(10)), ratio_of, 1.2))
            self.assertLessEqual(len(asked), 4)

    def test_a_small_step_before_is_not_it(self):
        ratios = [1.0, 1.03, 1.03, 1.2, 1.21]
        self.assertEqual(3, guarding.first_worse(list(range(5)), ratios.__getitem__, 1.21))


class AllocatedTest(unittest.TestCase):
    def test_it_is_what_the_heap_grew_by_between_collections_and_at_the_end(self):
        for young, old in (("def new generation  ", "tenured generation  "), ("DefNew    ", "Tenured   ")):
            log = "\n".join((
                "[0.1s][info][gc] Using Serial",
                "[0.2s][info][gc,heap] GC(0) DefNew: 6656K(9216K)->512K(9216K) Eden: 6656K(8192K)->0K(8192K) From: 0K(1024K)->512K(1024K)",
                "[0.2s][info][gc,heap] GC(0) Tenured: 1536K(10240K)->4608K(10240K)",
                "[0.2s][info][gc     ] GC(0) Pause Young (Allocation Failure) 8M->5M(23M) 3.210ms",
                "[0.3s][info][gc,heap] GC(1) DefNew: 6656K(9216K)->0K(9216K) Eden: 6144K(8192K)->0K(8192K) From: 512K(1024K)->0K(1024K)",
                "[0.3s][info][gc,heap] GC(1) Tenured: 4608K(10240K)->7168K(10240K)",
                "[0.3s][info][gc     ] GC(1) Pause Full (Metadata GC Threshold) 11M->7M(23M) 3.210ms",
                "[0.4s][info][gc,exit] Heap",
                "[0.4s][info][gc,exit]  %s total 9216K, used 2048K [0x1, 0x2, 0x3)" % young,
                "[0.4s][info][gc,exit]   eden space 8192K,  25%% used [0x1, 0x2, 0x3)" % (),
                "[0.4s][info][gc,exit]  %s total 10240K, used 7168K [0x1, 0x2, 0x3)" % old))
            self.assertAlmostEqual(8 + 6 + 2, guarding.allocated_mib(log))

    def test_a_log_without_an_end_is_no_figure(self):
        self.assertRaises(ValueError, guarding.allocated_mib, "[0.2s][info][gc] GC(0) Pause Young 8M->5M(23M) 3.210ms")


if __name__ == "__main__":
    unittest.main()
