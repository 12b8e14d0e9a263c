"""Runs the tests of this folder: ``python3 python/tests [--quick | --full | --built] [--jobs N] [--results FILE] [MODULE...]``

Modules are spread over processes. Those that run programs in copies of a process that has imported torch share one process, and so that import.
A test carries tags (``support.tagged``): without an option all but ``slow`` run, with ``--quick`` none that starts a process or needs torch.
Tests tagged ``built`` run the built InferScope; they run with ``--built`` only, and no others.
``--results`` writes a line ``PASSED FAILED SKIPPED`` and then the reasons why tests were skipped.
"""

import argparse
import collections
import concurrent.futures
import importlib
import io
import os
import pathlib
import subprocess
import sys
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
LEFT_OUT = {"quick": {"process", "torch", "native", "slow", "built"}, "full": {"built"}, "usual": {"slow", "built"}}

Outcome = collections.namedtuple("Outcome", "module passed failed skipped seconds text")


def main():
    options = parse_options()
    modules = options.modules or sorted(path.stem for path in FOLDER.glob("test_*.py"))
    mode = next((one for one in ("quick", "full", "built") if getattr(options, one)), "usual")
    outcomes = list(run_all(modules, mode, options.jobs))
    passed, failed = (sum(getattr(one, name) for one in outcomes) for name in ("passed", "failed"))
    reasons = [reason for one in outcomes for reason in one.skipped]
    slowest = sorted(outcomes, key=lambda one: -one.seconds)[:5]
    print("slowest: " + ", ".join("%s %.0f s" % (one.module, one.seconds) for one in slowest))
    print("Python: %d passed, %d failed, %d skipped" % (passed, failed, len(reasons)))
    if options.results:
        counts = "%d %d %d\n" % (passed, failed, len(reasons))
        pathlib.Path(options.results).write_text(counts + "".join(reason + "\n" for reason in reasons), encoding="utf-8")
    return 0 if passed and not failed else 1


def parse_options():
    parser = argparse.ArgumentParser(prog="python/tests", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--quick", action="store_true", help="no test that starts a process, needs torch or compiles")
    which.add_argument("--full", action="store_true", help="slow tests too")
    which.add_argument("--built", action="store_true", help="the tests that run the built InferScope, and no others")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: one per CPU)")
    parser.add_argument("--results", metavar="FILE", help="where to write the counts")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as test_scope (default: all)")
    return parser.parse_args()


def run_all(modules, mode, jobs):
    """Runs modules and prints what went wrong in each as soon as it ends."""
    sharing = [name for name in modules if shares_torch(name)]
    with concurrent.futures.ProcessPoolExecutor(1) as of_torch, concurrent.futures.ProcessPoolExecutor(max(1, jobs - 1)) as others:
        running = [of_torch.submit(run_module, name, mode) for name in sharing]
        pool = others if jobs > 1 else of_torch
        running += [pool.submit(run_module, name, mode) for name in modules if name not in sharing]
        for future in concurrent.futures.as_completed(running):
            outcome = future.result()
            if outcome.text:
                print("== %s\n%s" % (outcome.module, outcome.text), flush=True)
            yield outcome


def shares_torch(module):
    text = (FOLDER / (module + ".py")).read_text(encoding="utf-8")
    return "shapes_support" in text or "Copies.with_" in text


def run_module(name, mode):
    sys.path[:0] = [str(folder) for folder in (FOLDER, FOLDER.parent) if str(folder) not in sys.path]
    begin = time.monotonic()
    suite = unittest.TestSuite()
    for test in tests_in(unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name))):
        if "built" in tags(test) if mode == "built" else not tags(test) & LEFT_OUT[mode]:
            suite.addTest(test)
    if not suite.countTestCases():
        return Outcome(name, 0, 0, [], 0, "")
    text = io.StringIO()
    runner = unittest.TextTestRunner(text, verbosity=0)
    result = run_without_processes(runner, suite) if mode == "quick" else runner.run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    passed = result.testsRun - failed - len(result.skipped)
    said = text.getvalue() if failed else ""
    # A module that is skipped or fails as a whole counts as its tests: none of them was begun.
    skipped = [reason for test, reason in result.skipped for _ in range(1 if isinstance(test, unittest.TestCase) else suite.countTestCases())]
    return Outcome(name, max(0, passed), failed, skipped, time.monotonic() - begin, said)


def run_without_processes(runner, suite):
    """A test that starts a process without its tag fails, so that the tags stay true."""
    def refuse(*arguments, **options):
        raise AssertionError("a test that starts a process needs @tagged(\"process\")")

    start, subprocess.Popen.__init__ = subprocess.Popen.__init__, refuse
    try:
        return runner.run(suite)
    finally:
        subprocess.Popen.__init__ = start


def tests_in(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from tests_in(one)
        else:
            yield one


def tags(test):
    method = getattr(test, getattr(test, "_testMethodName", ""), None)
    return set(getattr(test, "tags", ())) | set(getattr(method, "tags", ()))


if __name__ == "__main__":
    sys.exit(main())
