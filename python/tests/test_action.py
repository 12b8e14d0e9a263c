"""The GitHub Action and the job for GitLab, with an inferscope, a gh and a curl that write down what they are given."""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import REPOSITORY, environment, tagged

INTEGRATIONS = REPOSITORY / "integrations"
ACTION = INTEGRATIONS / "github-action"
MARK = "<!-- inferscope diff -->"
INFERSCOPE = """\
#!/bin/sh
[ "$2" = '--fail-on=regression>5%' ] || exit 9
[ -z "${GH_TOKEN+set}" ] || exit 9
echo conclusion
echo '::add-mask::a'
echo 'inferscope diff: limit crossed: regression>5%: 12.0% longer' >&2
[ "$5" = -- ] || exit 9
[ "$6" = gone ] && { echo "inferscope: gone: no such file" >&2; exit 3; }
echo '# Report' >"$4"
exit 1
"""
# Selects from a page of comments as gh does.
GH = """\
#!/bin/sh
[ "$GH_TOKEN" = secret ] || exit 9
printf '%s|' "$@" >>"$LOG"
echo >>"$LOG"
for last; do :; done
case "$*" in *--paginate*) printf '%s' "$COMMENTS" | jq -r "$last" ;; *body=@*) cat "${last#body=@}" >>"$LOG" ;; esac
[ -z "$GH_FAILS" ]
"""
# Fetches a file of this folder.
CURL = """\
#!/bin/sh
printf '%s|' "$@" >>"$LOG"
while [ $# -gt 1 ]; do case $1 in --output) out=$2 ;; --url) url=$2 ;; esac; shift; done
cp "${0%/*}/${url##*/}" "$out"
"""
WHEEL = "inferscope_profiler-1.0-py3-none-manylinux2014_x86_64.whl"


def comments(*nodes):
    keys = ("id", "viewerDidAuthor", "body")
    return json.dumps({"data": {"repository": {"pullRequest": {"comments": {"nodes": [dict(zip(keys, node)) for node in nodes]}}}}})


class Stand(unittest.TestCase):
    """A folder of programs that stand before those of the system."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log"

    def program(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def run_script(self, *words, **options):
        env = environment(PATH="%s:/usr/bin:/bin" % self.folder, LOG=self.log, **options.pop("env"))
        return subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@tagged("process")
@unittest.skipUnless(shutil.which("jq", path="/usr/bin:/bin"), "jq is not installed")
class ActionTest(Stand):
    """The step that compares."""

    def setUp(self):
        super().setUp()
        self.program("inferscope", INFERSCOPE)
        self.program("gh", GH)

    def run_step(self, before="before", pull_request="7", **variables):
        variables.setdefault("COMMENTS", comments())
        return self.run_script("bash", str(ACTION / "compare"), env=dict(
            variables, BEFORE=before, AFTER="after", FAIL_ON="regression>5%", GH_TOKEN="secret", PULL_REQUEST=pull_request,
            GITHUB_REPOSITORY="o/r", GITHUB_STEP_SUMMARY=self.folder / "summary"
        ))

    def test_the_report_is_commented_and_a_limit_annotated(self):
        ran = self.run_step()
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
        self.run_step(COMMENTS=comments(("A", True, "Thanks."), ("B", True, MARK + "\nold"), ("C", True, MARK + "\nolder")))
        log = self.log.read_text()
        self.assertIn("|-f|owner=o|-f|name=r|-F|number=7|", log)
        self.assertIn("|-f|id=B|-F|body=@", log)
        self.assertTrue(log.endswith(MARK + "\n# Report\n"), log)
        self.assertNotIn("POST", log)

    def test_a_comment_of_a_stranger_that_begins_with_the_mark_is_not_touched(self):
        self.run_step(COMMENTS=comments(("evil", False, MARK + "\nAll is well.")))
        log = self.log.read_text()
        self.assertNotIn("evil", log)
        self.assertIn("api|--method|POST|repos/o/r/issues/7/comments|-F|", log)

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


@tagged("process")
class InstallTest(Stand):
    """With a python3 that writes down what pip is to install."""

    def setUp(self):
        super().setUp()
        self.program("python3", '#!/bin/sh\nprintf "%s|" "$@" >>"$LOG"\ntest -e "$8"')
        self.program("curl", CURL)
        self.wheel = self.folder / WHEEL
        self.wheel.write_text("of the release")
        self.sha256 = hashlib.sha256(b"of the release").hexdigest()

    def install(self, wheel, sha256):
        return self.run_script("bash", str(ACTION / "install"), env={"WHEEL": wheel, "SHA256": sha256, "GITHUB_ACTIONS": "true"})

    def test_a_wheel_with_the_right_hash_is_installed(self):
        for place in ("https://releases.invalid/1.0/" + WHEEL, str(self.wheel)):
            self.log.write_text("")
            ran = self.install(place, self.sha256)
            self.assertEqual((ran.returncode, ran.stdout), (0, ""))
            self.assertRegex(self.log.read_text(), r"-m\|pip\|install\|--quiet\|--no-index\|--no-deps\|--\|/\S+/%s\|\Z" % WHEEL)
        self.log.write_text("")
        self.install("https://releases.invalid/1.0/" + WHEEL, self.sha256)
        self.assertIn("|--proto|=https|", self.log.read_text())

    def test_nothing_else_is_installed(self):
        other = hashlib.sha256(b"other").hexdigest()
        for wheel, sha256, problem in (
            (str(self.wheel), other, "another SHA-256"),
            ("https://releases.invalid/" + WHEEL, other, "another SHA-256"),
            (str(self.wheel), "", "64 digits"),
            (str(self.wheel), self.sha256[:32], "64 digits"),
            (str(self.wheel), "%s\n%s" % (other, self.sha256), "64 digits"),
            ("inferscope", self.sha256, "must name a file"),
            ("inferscope-profiler", self.sha256, "must name a file"),
            ("--index-url=https://evil.invalid/" + WHEEL + " x", self.sha256, "must name a file"),
            ("http://releases.invalid/" + WHEEL, self.sha256, "must begin with https"),
            ("", self.sha256, "no command inferscope"),
        ):
            ran = self.install(wheel, sha256)
            self.assertEqual(ran.returncode, 4, ran)
            self.assertIn("::error title=InferScope::", ran.stdout)
            self.assertIn(problem, ran.stdout)
            self.assertNotIn("pip|", self.log.read_text() if self.log.exists() else "")

    def test_an_installed_command_needs_no_wheel(self):
        self.program("inferscope", INFERSCOPE)
        self.assertEqual(self.install("", "").returncode, 0)
        self.assertFalse(self.log.exists())


@tagged("process")
@unittest.skipUnless(shutil.which("git"), "git is not installed")
class GitlabTest(Stand):
    """The job's script, in the clone of a repository with a merge request."""

    def setUp(self):
        super().setUp()
        self.program("inferscope", '#!/bin/sh\nprintf "%s|" "$@" >>"$LOG"\ncase $1 in run) cp bench.py "$3" ;; diff) cat "$8" "$9" >>"$LOG" ;; esac')
        self.program("python3", '#!/bin/sh\nprintf "%s|" "$@" >>"$LOG"')
        self.program("curl", CURL)
        (self.folder / WHEEL).write_text("of the release")
        origin, self.clone = self.folder / "origin", self.folder / "clone"
        self.git(self.folder, "init", "-q", str(origin))
        (origin / "bench.py").write_text("(default branch)")
        self.git(origin, "add", ".")
        self.git(origin, "commit", "-qm", "one")
        self.base = self.git(origin, "rev-parse", "HEAD")
        (origin / "bench.py").write_text("(merge request)")
        (origin / "before.json.gz").write_text("(planted)")
        self.git(origin, "add", ".")
        self.git(origin, "commit", "-qm", "two")
        self.git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
        self.git(self.folder, "clone", "-q", "--depth", "1", origin.as_uri(), str(self.clone))
        shutil.copytree(str(ACTION), str(self.clone / "integrations/github-action"))

    def git(self, folder, *words):
        words = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@invalid"] + list(words)
        return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()

    def run_job(self, sha256, wheel=WHEEL):
        text = (INTEGRATIONS / "gitlab-ci.yml").read_text()
        lines = re.findall(r"^    - (?!if: )(.*)$", text, re.M)
        self.assertGreater(len(lines), 5)
        return self.run_script("bash", "-euo", "pipefail", "-c", "\n".join(lines), cwd=str(self.clone), env={
            "INFERSCOPE_WHEEL": "https://releases.invalid/" + wheel, "INFERSCOPE_SHA256": sha256, "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base,
            "TMPDIR": self.folder,
        })

    def test_a_merge_request_is_compared_with_its_base_and_not_with_a_recording_that_a_branch_planted(self):
        ran = self.run_job(hashlib.sha256(b"of the release").hexdigest())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        log = self.log.read_text()
        self.assertIn("--no-index|--no-deps|--|", log)
        self.assertTrue(log.endswith("(default branch)(merge request)"), log)

    def test_no_branch_shares_a_cache_with_another(self):
        self.assertEqual([], re.findall(r"^\s*(?:cache|unprotect):", (INTEGRATIONS / "gitlab-ci.yml").read_text(), re.M))

    def test_a_wheel_with_another_hash_is_not_installed(self):
        for sha256 in (hashlib.sha256(b"other").hexdigest(), "", "0"):
            self.assert_refused(self.run_job(sha256))

    def test_a_wheel_of_another_project_is_not_installed(self):
        other = WHEEL.replace("_profiler", "")
        shutil.copy(str(self.folder / WHEEL), str(self.folder / other))
        self.assert_refused(self.run_job(hashlib.sha256(b"of the release").hexdigest(), other))

    def assert_refused(self, ran):
        self.assertEqual((ran.returncode, ran.stdout), (4, ""))
        self.assertIn("inferscope: ", ran.stderr)
        log = self.log.read_text() if self.log.exists() else ""
        self.assertNotIn("pip|", log)
        self.assertNotIn("run|", log)


class NamesTest(unittest.TestCase):
    INSTALLED = re.compile(
        r"\b(?:pip3?|pipx|uvx|uv)\b[^\n`|&;#]*?[\s'\"]inferscope(?:[-_]profiler)?(?:\[[^\]]*\])?(?:[=<>~!]=?[\w.*]+)?(?=['\"`\s]|$)"
    )
    SUFFIXES = {"", ".cff", ".cfg", ".html", ".java", ".json", ".md", ".mdc", ".py", ".sh", ".toml", ".txt", ".xml", ".yaml", ".yml"}

    def test_nothing_says_to_install_from_an_index_by_a_name(self):
        said = []
        for file in self.files():
            for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if self.INSTALLED.search(line):
                    said.append("%s:%d: %s" % (file.relative_to(REPOSITORY), number, line.strip()))
        self.assertEqual([], said)

    def files(self):
        for file in sorted(REPOSITORY.rglob("*")):
            parts = file.relative_to(REPOSITORY).parts
            if not {"target", ".git", "outputs", "coverage", "__pycache__"} & set(parts) and file.suffix in self.SUFFIXES and file.is_file():
                if file != pathlib.Path(__file__).resolve():
                    yield file

    def test_names_are_told_from_files(self):
        for line in (
            "pip install inferscope", "    - pip install --quiet inferscope", "pip install 'inferscope[trace]'", "pip3 install inferscope==0.1.0",
            "pipx install inferscope-profiler", "uv tool install inferscope", "python3 -m pip install -U inferscope_profiler", "uvx inferscope demo",
            "use `pip install inferscope`",
        ):
            self.assertRegex(line, self.INSTALLED)
        for line in (
            "pip install " + WHEEL, "pip install ./inferscope", "pip install '%s[trace]'" % WHEEL, "pip install python/", "pip install torch; inferscope run",
        ):
            self.assertNotRegex(line, self.INSTALLED)


if __name__ == "__main__":
    unittest.main()
