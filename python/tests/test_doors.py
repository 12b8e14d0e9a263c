"""InferScope inside a program: explain(), the notebook's magic, the pytest plug-in, torch.profiler's handler, and reports that are read."""

import functools
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

from support import PYTHON_FOLDER, REPOSITORY, environment, tagged

sys.path.insert(0, str(PYTHON_FOLDER))
import inferscope  # noqa: E402
from inferscope import report  # noqa: E402

# Serialises and sleeps in turns, until the thread has computed for half a second: beside load that takes longer.
PROGRAM = """
import json, time
import inferscope
from inferscope import scope

def busy(cpu_s=0.5):
    end_s = time.thread_time() + cpu_s
    while time.thread_time() < end_s:
        with scope("step"):
            json.dumps(list(range(20000)))
            time.sleep(0.002)
"""


@functools.lru_cache(None)
def python(requirements=PYTHON_FOLDER / "tests/doors-requirements.txt"):
    """An interpreter with pytest, pandas, nbclient, ipykernel and mypy, or with other packages."""
    done = subprocess.run([str(REPOSITORY / "scripts/cached-venv"), str(requirements)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise unittest.SkipTest("no environment for the tests of doors: " + done.stderr.decode("utf-8", "replace")[-200:])
    return done.stdout.decode().strip()


@tagged("process", "built")
class DoorsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="doors ")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_source(self, source, name="program.py", interpreter=None, words=(), exit_code=0, **variables):
        (self.folder / name).write_text(source)
        words = words or (name,)
        env = environment(PYTHONPATH=PYTHON_FOLDER, TMPDIR=self.folder, PYTHONDONTWRITEBYTECODE=1, **variables)
        done = subprocess.run([interpreter or python(), *words], cwd=str(self.folder), env=env, timeout=300, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        if exit_code is not None:
            self.assertEqual(exit_code, done.returncode, done.stdout)
        return done.stdout

    def left_behind(self):
        return [path.name for path in self.folder.iterdir() if path.name.startswith("inferscope-") and path.name != "inferscope-%d" % os.getuid()]

    def test_a_block_is_explained_and_so_is_a_second_one(self):
        printed = self.run_source(PROGRAM + """
for i in range(2):
    with inferscope.explain() as e:
        busy()
    names = {one.name: one.count for one in e.scopes}
    frame = e.findings.to_pandas()
    e.save("report-%d.html" % i)
    print(json.dumps([e.verdict.bound, names["step"], len(frame), [one.source for one in e.coverage if one.missing],
                      "program.py:" in json.dumps(e.hostTime), "<table>" in e._repr_html_() and e.verdict.claim in str(e)]))
busy()
""")
        rounds = [json.loads(line) for line in printed.splitlines() if line.startswith("[")]
        self.assertEqual(2, len(rounds), printed)
        for bound, steps, findings, missing, where, shown in rounds:
            self.assertIn(bound, ("cpu", "waiting", "balanced"))
            self.assertGreater(steps, 3)
            self.assertGreater(findings, 0)
            self.assertNotIn("probe", missing)
            self.assertTrue(where and shown)
        self.assertEqual([], self.left_behind())
        for i in range(2):
            self.assertIn("<html", (self.folder / ("report-%d.html" % i)).read_text()[:500])

    def test_an_observer_that_ends_while_it_is_waited_for_has_made_its_report(self):
        printed = self.run_source(PROGRAM + """
import os
looks, exists = [], os.path.exists
def ends_between_two_looks(path):
    if not path.endswith("code") or not exists(path) or looks:
        return exists(path)
    looks.append(path)
    return False
with inferscope.explain() as e:
    busy()
    os.path.exists = ends_between_two_looks
print("report", e.report.verdict.bound)
""")
        self.assertIn("report ", printed)

    def test_a_saved_report_has_the_rules_of_the_explained_one(self):
        (self.folder / "rules.yaml").write_text(
            "rules:\n  - {id: much-json, metric: cpu.serialization, above: 1%, message: 'Serialisation takes {value}.'}\n")
        self.run_source(PROGRAM + """
for number, words in enumerate((("--rules-file", "rules.yaml"), ("--rules-file=rules.yaml", "--jfr", "off"), ())):
    with inferscope.explain(*words) as e:
        busy()
    e.save("%d.json" % number)
    assert ("user/much-json" in [one.rule for one in e.rules]) == bool(words), e
""")
        saved = ["user/much-json" in (self.folder / ("%d.json" % number)).read_text() for number in range(3)]
        self.assertEqual([True, True, False], saved)

    def test_the_programs_own_exception_passes_and_the_report_is_there(self):
        printed = self.run_source(PROGRAM + """
try:
    with inferscope.explain("--fail-on", "wall>1us") as e:
        busy(0.1)
        raise KeyError("own")
except KeyError as error:
    print("caught", error, e.limits, e.verdict.bound)
""")
        self.assertRegex(printed, r"caught 'own' \['crossed: wall>1us: .*'\] \w+")

    def test_the_probe_imports_nothing_in_the_time_that_is_recorded(self):
        printed = self.run_source("""
import sys, inferscope
from inferscope import _probe
begin = _probe.record_into
def seen(folder):
    known = set(sys.modules)
    begin(folder)
    print("new:", sorted(one for one in set(sys.modules) - known if one.startswith("inferscope")))
_probe.record_into = seen
with inferscope.explain() as e:
    pass
""")
        self.assertIn("new: []\n", printed)

    def test_a_refused_option_ends_no_program_that_uses_nothing_else(self):
        printed = self.run_source("""
import inferscope
with inferscope.explain("--no-such<b>", name="<i>") as e:
    print("ran")
print(e._repr_html_())
""")
        self.assertIn("ran\n<p>inferscope attach: Unknown option: &#x27;--no-such&lt;b&gt;", printed)

    def test_where_nothing_can_be_recorded_the_program_goes_on_and_is_told_why(self):
        printed = self.run_source(PROGRAM + """
import inferscope.report
def none():
    raise inferscope.ReportError("there is no launcher")
inferscope.report.launcher = none
with inferscope.explain() as e:
    busy(0.01)
print("went on")
try:
    e.verdict
except inferscope.ReportError as error:
    print("no report:", error)
with inferscope.explain("--no-such-option") as e:
    busy(0.01)
""".replace("inferscope.report.launcher = none", "kept, inferscope.report.launcher = inferscope.report.launcher, none", 1)
            .replace("with inferscope.explain(\"--no", "inferscope.report.launcher = kept\nwith inferscope.explain(\"--no", 1))
        self.assertIn("UserWarning: inferscope explains nothing: there is no launcher", printed)
        self.assertIn("went on\nno report: there is no launcher\n", printed)
        self.assertIn("no-such-option", printed)
        self.assertEqual([], self.left_behind())

    def test_blocks_within_a_recorded_program_are_scopes_of_it(self):
        (self.folder / "program.py").write_text(PROGRAM + "with inferscope.explain(name='inner') as e:\n    busy(0.2)\nprint(repr(e))\n")
        done = subprocess.run([report.launcher(), "run", "-o", "r.json", "--", python(), "program.py"], cwd=str(self.folder),
                              env=environment(), timeout=300, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("records this process already", done.stdout)
        read = inferscope.open(self.folder / "r.json")
        self.assertIn("inner", [one.name for one in read.scopes])

    def test_a_cell_of_a_notebook_is_explained(self):
        printed = self.run_source('''
import nbformat, nbclient
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (
    "%load_ext inferscope", """%%inferscope
import json, time
end_s = time.thread_time() + 0.3
while time.thread_time() < end_s:
    json.dumps(list(range(20000)))
value = 7""", "print('after', value, _inferscope.verdict.bound)", "%%inferscope\\nimport asyncio\\nawait asyncio.sleep(0)")])
nbclient.NotebookClient(book, timeout=200, allow_errors=True).execute()
print(book.cells[1].outputs[-1]["data"].get("text/html", "no html"))
print(book.cells[2].outputs[-1]["text"], book.cells[3].outputs[-1]["text"])
''')
        self.assertIn("<table>", printed)
        self.assertIn("UsageError: %%inferscope runs no cell that awaits", printed)
        self.assertRegex(printed, r"after 7 \w+")

    def pytest(self, *words, interpreter=None):
        return self.run_source(PROGRAM + """
import pytest

@pytest.mark.inferscope
def test_within(): busy(0.2)

@pytest.mark.inferscope(fail_on="wall>1us")
def test_too_long(): busy(0.2)

@pytest.mark.xfail
@pytest.mark.inferscope(fail_on="wall>1us")
def test_expected(): busy(0.1)

def test_not_marked(): pass
""", name="test_it.py", words=("-m", "pytest", "-p", "inferscope.pytest_plugin", "-p", "no:cacheprovider", *words, "test_it.py"),
                               interpreter=interpreter, exit_code=1)

    def check_pytest(self, printed):
        self.assertIn("1 failed, 2 passed, 1 xfailed", printed)
        self.assertIn("crossed: wall>1us", printed)
        table = printed[printed.index(" inferscope ="):]
        self.assertRegex(table, r"test_it.py::test_within +\d+ ms +\w+ ")
        self.assertNotIn("test_not_marked ", table)

    def test_pytest_explains_marked_tests_and_fails_those_that_break_a_limit(self):
        self.check_pytest(self.pytest("--inferscope"))

    def test_pytest_records_where_only_a_limit_is_given(self):
        self.assertRegex(self.pytest("--inferscope-fail-on", "wall>2us", "-k", "within"), "1 failed, 3 deselected")

    def test_pytest_6_runs_and_explains_too(self):
        requirements = self.folder / "requirements.txt"
        requirements.write_text("pytest==6.2.5\npluggy==0.13.1\n")
        self.check_pytest(self.pytest("--inferscope", interpreter=python(requirements)))

    def test_a_type_checker_knows_what_programs_use(self):
        printed = self.run_source("""
import inferscope
from inferscope import mark, scope

@scope("part")
def twice(value: int) -> int:
    return 2 * value

async def waits() -> None:
    async with scope("wait"):
        mark("now", {"request": 7})

with inferscope.explain("--gpu") as e, scope("block"):
    twice(7)
reveal_type(twice)
reveal_type(e.report.findings[0])
reveal_type(inferscope.open("r.json", "--scope", "x"))
reveal_type(inferscope.trace_handler("traces").wait())
""", words=("-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir=cache", "program.py"), MYPYPATH=PYTHON_FOLDER)
        types = [line.split(" is ")[1] for line in printed.splitlines() if "Revealed type" in line]
        self.assertEqual(['"def (value: int) -> int"', '"inferscope.report.Row"', '"inferscope.report.Report"',
                          '"list[inferscope.report.Report | inferscope.report.ReportError]"'], types, printed)
        self.assertNotIn("error", printed)

    def test_a_report_on_a_part_is_saved_as_it_was_read(self):
        spans = ({"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": at} for name, at in (("a", 100), ("b", 300)))
        (self.folder / "t.json").write_text(json.dumps({"traceEvents": list(spans)}))
        self.assertEqual("100000 100000\n", self.run_source("""import inferscope
part = inferscope.open("t.json", "--scope", "a")
part.save("part.json")
print(part.window.durationNs, inferscope.open("part.json").window.durationNs)
"""))

    def test_the_name_of_a_recording_is_no_option(self):
        (self.folder / "-oplanted.md").write_text('{"traceEvents":[{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":2}]}')
        self.assertEqual("1 []\n", self.run_source("""import glob, inferscope
found = [inferscope.open(path) for path in glob.glob("-*")]
print(len(found), glob.glob("planted*"))
"""))

    def test_windows_of_torchs_profiler_are_explained_beside_the_loop(self):
        torch = os.environ.get("INFERSCOPE_TEST_PYTHON", sys.executable)
        if subprocess.run([torch, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no PyTorch")
        printed = self.run_source('''
import torch, inferscope
from torch.profiler import ProfilerActivity, profile, schedule
model = torch.nn.Linear(64, 64)
handler = inferscope.trace_handler("traces")
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=3, repeat=2), on_trace_ready=handler) as prof:
    for i in range(12):
        model(torch.ones(8, 64))
        prof.step()
for made in handler.wait():
    print("window", made.verdict.bound, len(made.steps), "aten::linear" in [one.name for one in made.operators])
''', interpreter=torch)
        self.assertRegex(printed, r"(?s)window \w+ 1 True\n.*window \w+ 1 True\n")
        self.assertEqual(2, len(list((self.folder / "traces").iterdir())))


class ReportTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.path = pathlib.Path(holder.name) / "r.json"
        self.members = {"schema": "inferscope-report/1", "title": "<b>", "verdict": {"bound": "cpu", "claim": "a < b"}, "diagnosis": ["<i>"],
                        "ledgers": [{"subject": "<s>", "durationNs": 9, "classes": [{"id": "cpu.python", "ns": 9, "share": 1.0}]}],
                        "findings": [{"severity": "note", "claim": "<script>"}], "failures": [], "steadyState": None}

    def read(self):
        self.path.write_text(json.dumps(self.members, indent=2))
        return inferscope.open(self.path)

    def test_members_are_attributes_and_lists_are_tables(self):
        read = self.read()
        self.assertEqual(("cpu", 9, "note"), (read.verdict.bound, read.ledger.classes[0].ns, read.findings[0]["severity"]))
        self.assertEqual(["ledgers", "findings"], list(read.tables))
        self.assertEqual([report.Table, report.Table], [type(read.ledger.classes), type(read.failures)])
        self.assertIsNone(read.steadyState)
        self.assertIn("verdict", dir(read))
        self.assertEqual("cpu", pickle.loads(pickle.dumps(read)).verdict.bound)
        with self.assertRaisesRegex(AttributeError, "claim"):
            read.verdict.clam

    def test_a_notebook_is_shown_text_and_no_markup_of_the_program(self):
        shown = self.read()._repr_html_()
        for text in ("&lt;b&gt;", "a &lt; b", "&lt;i&gt;", "&lt;s&gt;", "&lt;script&gt;"):
            self.assertIn(text, shown)
        self.assertNotRegex(shown, "<(b>[^&<]*<(?!/b)|i>|s>|script)")

    def test_no_text_of_the_program_acts_on_a_terminal(self):
        """JSON keeps names as they are; what is printed of them is one line each."""
        self.members["diagnosis"] = ["\x1b[31m\u202e\n\x9b2J\x85 na\u00efve"]
        for shown in (str(self.read()), self.read()._repr_html_()):
            self.assertIn("\\u{1b}[31m\\u{202e} \\u{9b}2J\\u{85} na\u00efve", shown)
        self.members["title"] = "\x1b"
        self.assertEqual("<report on \\u{1b}: cpu>", repr(self.read()))

    def test_what_is_no_report_is_an_error_that_names_the_file(self):
        for text in ('{"schema": "inferscope-report/1", "x": ' + 100000 * "[",
                     '{"schema": "inferscope-report/1"', '[{"schema": "inferscope-report/1"}]', '{"x": {"schema": "inferscope-report/1"}}'):
            self.path.write_text(text)
            with self.assertRaisesRegex(inferscope.ReportError, "r.json is not a whole report"):
                inferscope.open(self.path)
        self.read()
        with self.assertRaisesRegex(inferscope.ReportError, "options are for recordings"):
            inferscope.open(self.path, "--scope", "x")


if __name__ == "__main__":
    unittest.main()
