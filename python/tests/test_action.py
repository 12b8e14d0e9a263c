"""The step of the GitHub Action, with an inferscope and a gh that write down what they are given."""

import pathlib
import subprocess
import tempfile
import unittest

from support import REPOSITORY, environment, tagged

STEP = REPOSITORY / "integrations" / "github-action" / "compare"
INFERSCOPE = """\
#!/bin/sh
[ "$3" = 'regression>5%' ] || exit 9
echo conclusion
echo '::add-mask::a'
echo 'inferscope diff: limit crossed: regression>5%: 12.0% longer' >&2
[ "$6" = -- ] || exit 9
[ "$7" = gone ] && { echo "inferscope: gone: no such file" >&2; exit 3; }
echo '# Report' >"$5"
exit 1
"""
GH = """\
#!/bin/sh
printf '%s|' "$@" >>"$LOG"
echo >>"$LOG"
case "$*" in *--paginate*) printf '%s\\n' "$KNOWN" ;; *body=@*) cat "${6#body=@}" >>"$LOG" ;; esac
[ -z "$GH_FAILS" ]
"""


@tagged("process")
class ActionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("inferscope", INFERSCOPE), ("gh", GH)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    def run_step(self, before="before", pull_request="7", **variables):
        env = environment(
            PATH="%s:/usr/bin:/bin" % self.folder, BEFORE=before, AFTER="after", FAIL_ON="regression>5%", PULL_REQUEST=pull_request,
            GITHUB_REPOSITORY="o/r", GITHUB_STEP_SUMMARY=self.folder / "summary", LOG=self.folder / "log", **variables
        )
        return subprocess.run(["bash", str(STEP)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_the_report_is_commented_and_a_limit_annotated(self):
        ran = self.run_step(KNOWN="")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("::error title=InferScope::limit crossed: regression>5%25: 12.0%25 longer\n", ran.stdout)
        self.assertEqual((self.folder / "summary").read_text(), "# Report\n")
        log = (self.folder / "log").read_text()
        self.assertIn("api|--method|POST|repos/o/r/issues/7/comments|-F|", log)
        self.assertTrue(log.endswith("<!-- inferscope diff -->\n# Report\n"), log)

    def test_names_of_a_recording_are_no_commands_of_the_runner(self):
        said = [self.run_step().stdout for _ in range(2)]
        tokens = []
        for out in said:
            self.assertRegex(out, r"\A::stop-commands::[0-9a-f]{32}\n")
            tokens.append(out.splitlines()[0].split("::")[2])
            inside, after = out.split("\n::%s::\n" % tokens[-1])
            self.assertIn("\n::add-mask::a\n", inside)
            self.assertNotIn("::add-mask", after)
            self.assertIn("::error title=InferScope::", after)
        self.assertNotEqual(*tokens)

    def test_a_later_run_updates_its_own_comment(self):
        self.run_step(KNOWN="4711")
        log = (self.folder / "log").read_text()
        self.assertIn("api|--method|PATCH|repos/o/r/issues/comments/4711|", log)
        self.assertNotIn("POST", log)

    def test_outside_a_pull_request_nothing_is_commented(self):
        self.assertEqual(self.run_step(pull_request="").returncode, 1)
        self.assertFalse((self.folder / "log").exists())

    def test_a_comment_that_fails_costs_the_comment_only(self):
        ran = self.run_step(GH_FAILS="1")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("::warning title=InferScope::the report could not be commented", ran.stdout)

    def test_without_a_report_its_reason_is_annotated(self):
        ran = self.run_step(before="gone")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("::error title=InferScope::no report: inferscope: gone: no such file\n", ran.stdout)


if __name__ == "__main__":
    unittest.main()
