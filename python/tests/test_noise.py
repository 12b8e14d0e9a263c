"""What follows from attempts that failed, by what disturbed them."""

import unittest

from support import judged, noise

QUIET, OTHERS, LATE = (0.1, 0.1), (0.11, 0.0), (0.0, 0.11)


class NoiseTest(unittest.TestCase):
    def test_two_failures_of_a_kind_decide(self):
        kinds = {"q": QUIET, "o": OTHERS, "l": LATE}
        for attempts, expected in (("", "repeat"), ("q", "repeat"), ("qq", "fail"), ("o", "repeat"), ("l", "repeat"), ("oo", "skip"), ("ll", "skip"),
                                   ("ol", "skip"), ("qo", "repeat"), ("qoq", "fail"), ("oql", "skip")):
            self.assertEqual(expected, noise.outcome([kinds[one] for one in attempts]), attempts)

    def test_a_sleep_that_took_more_than_twice_as_long_is_late(self):
        for slept_s, expected in ((0.0049, 0.0), (0.005, 0.0), (0.01, 0.0), (0.011, 0.006), (0.105, 0.1)):
            self.assertAlmostEqual(expected, noise.late_s(slept_s), msg=slept_s)

    def test_a_reason_is_the_whole_message_on_one_line(self):
        with self.assertRaises(AssertionError) as failed:
            self.assertEqual("a\nb\n", "a\nc\n")
        self.assertEqual(r"'a\nb\n' != 'a\nc\n' a - b + c", noise.one_line(failed.exception))
        self.assertEqual("long long ...", noise.one_line("long " * 1000)[-13:])

    def test_each_attempt_begins_afresh_and_one_that_succeeds_is_the_last(self):
        seen = []

        class Judged(unittest.TestCase):
            def setUp(self):
                seen.append("set up")
                self.addCleanup(seen.append, "cleaned up")

            @judged
            def test(self):
                seen.append("tried")
                self.assertEqual(2, seen.count("tried"))

        result = unittest.TestResult()
        Judged("test").run(result)
        self.assertTrue(result.wasSuccessful(), result.failures)
        self.assertEqual(["set up", "tried", "cleaned up"] * 2, seen)


if __name__ == "__main__":
    unittest.main()
