"""scripts/scaling-matrix with an InferScope that answers with a real report, and a program that fails once."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from support import REPOSITORY, tagged

REPORT = REPOSITORY / "inferscope-report" / "src" / "test" / "resources" / "golden" / "cpu-only.json"
INFERSCOPE = """\
#!%s
import json, sys
words = sys.argv[1:]
split = words.index("--")
report = json.load(open(%r))
batch, tokens = int(words[-3]), int(words[-1])
report["window"]["durationNs"] = batch * 1000000 + tokens * 2000000
if batch == 2 and tokens == 16:
    sys.exit(7)
assert words[split + 1:split + 3] == ["prog<ram", "--x"], words
json.dump(report, open(words[words.index("-o") + 1], "w"))
"""


@tagged("process")
class ScalingMatrixTest(unittest.TestCase):
    def test_each_cell_is_measured_and_one_that_fails_costs_no_other(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            inferscope = folder / "inferscope"
            inferscope.write_text(INFERSCOPE % (sys.executable, str(REPORT)))
            inferscope.chmod(0o755)
            ran = subprocess.run(
                [sys.executable, str(REPOSITORY / "scripts" / "scaling-matrix"), "--inferscope", str(inferscope), "--batches", "1", "2"]
                + ["--tokens", "8", "16", "--", "prog<ram", "--x"],
                cwd=name,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            self.assertEqual(ran.returncode, 1)
            self.assertIn("batch 2, 16 tokens: the run ended with 7", ran.stderr)
            rows = json.loads((folder / "outputs" / "scaling_summary.json").read_text())
            found = [(row["batch"], row["tokens"], row["latency_ms"], row["ms_per_token"]) for row in rows]
            self.assertEqual(found, [(1, 8, 17.0, 2.125), (1, 16, 33.0, 2.062), (2, 8, 18.0, 1.125)])
            verdict = json.loads(REPORT.read_text())["verdict"]
            self.assertEqual({(row["bottleneck"], row["confidence"]) for row in rows}, {(verdict["bound"], verdict["marginPoints"])})
            with open(folder / "outputs" / "scaling_summary.csv", newline="") as file:
                self.assertEqual([row["latency_ms"] for row in csv.DictReader(file)], ["17.0", "33.0", "18.0"])
            page = (folder / "outputs" / "scaling_report.html").read_text()
            self.assertIn("prog&lt;ram", page)
            picture = xml.etree.ElementTree.fromstring(page[page.index("<svg"):page.index("</svg>") + len("</svg>")])
            self.assertEqual(len(picture.findall("{*}polyline")), 2)
            report = (folder / "outputs" / "scaling_report.md").read_text()
            for over in ("tokens", "batch"):
                self.assertIn("![Latency over %s](scaling_%s.svg)" % (over, over), report)
                beside = xml.etree.ElementTree.parse(str(folder / "outputs" / ("scaling_%s.svg" % over))).getroot()
                self.assertEqual(len(beside.findall("{*}circle")), 3)


if __name__ == "__main__":
    unittest.main()
