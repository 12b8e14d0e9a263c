"""The quickstart example: deterministic, honest about its bottleneck, and able to run without the package."""

import re
import unittest

from support import REPOSITORY, Observed, judged

QUICKSTART = REPOSITORY / "examples" / "quickstart.py"


class QuickstartTest(Observed):
    def test_it_runs_without_the_package_and_prints_the_same_result_observed(self):
        plain, seen, fast = (self.run_python(QUICKSTART, "--rounds", "20", *more, observed=observed).stdout
                             for observed, more in ((False, ()), (True, ()), (False, ("--fast",))))
        self.assertEqual(plain, seen)
        self.assertEqual(plain, fast)
        self.assertRegex(plain.decode(), r"^reviews 200, tokens \d+, mean score 0\.\d{6}\n$")

    @judged
    def test_its_spans_agree_with_its_own_clock_and_tokenization_takes_more_than_the_model(self):
        printed = self.run_python(QUICKSTART, "--rounds", "60", "--clock").stdout.decode()
        clocked = {name: float(share) for name, share in re.findall(r"(\w+) ([\d.]+) %", printed)}
        total_ns = float(re.search(r"total ([\d.]+) s", printed).group(1)) * 1e9
        # Shares move with the machine's other load; which part is the larger one does not.
        self.assertGreater(clocked["tokenization"], clocked["model"])
        self.assertLess(clocked["tokenization"] + clocked["model"] + clocked["load"], 100.0)
        spool = self.only_spool()
        for name in ("load", "tokenization", "model"):
            share = 100.0 * sum(span["end_ns"] - span["start_ns"] for span in spool.spans(name)) / total_ns
            self.assertAlmostEqual(clocked[name], share, delta=3.0, msg=name)
        self.assertEqual(600, len(spool.spans("tokenization")))


if __name__ == "__main__":
    unittest.main()
