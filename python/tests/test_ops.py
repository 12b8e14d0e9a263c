"""Profiler windows inside a run, with the real torch; runs where test_torch does."""

import json
import unittest

from support import Observed, environment, judged, tagged
from test_torch import setUpModule  # noqa: F401

MODEL = """\
import glob, os, threading, time, torch
net, x = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()), torch.ones(4, 64)
def work(windows):  # until so many are written
    while len(glob.glob(os.path.join(os.environ["INFERSCOPE_SPOOL_DIR"], "ops-*.json"))) < windows:
        net(x)
        time.sleep(0.001)
def warm_up():  # more calls than come before the first window, in less time than it lasts
    for _ in range(10): net(x)
"""


class WindowsTest(Observed):
    def run_windows(self, source, ops):
        path = self.script("")
        path.write_text(MODEL + source)
        done = self.run_python(path, env=environment(self.spool_folder, INFERSCOPE_OPS=ops, KINETO_LOG_LEVEL=99))
        self.assertEqual(b"", done.stderr)
        traces = [json.loads(path.read_text()) for path in sorted(self.spool_folder.glob("ops-*.json"))]
        for path in self.spool_folder.glob("ops-*.json"):
            path.unlink()
        spool = self.only_spool()
        told, = spool.coverage("ops")
        return spool, traces, told

    @judged
    def test_windows_hold_the_operators_of_all_threads_on_the_runs_clock(self):
        spool, traces, told = self.run_windows("""\
thread = threading.Thread(target=work, args=(2,))
thread.start()
work(2)
thread.join()
""", "2x0.2")
        self.assertEqual((2, 0, 0), (len(traces), told["missing"], told["status"]))
        clock = spool.of("CLOCK")[0]
        forwards = [(span["start_ns"], span["end_ns"]) for span in spool.spans("forward Sequential")]
        costs = [span for span in spool.spans() if span["name"].startswith("ops window")]
        self.assertEqual(["ops window start", "ops window stop", "ops window export"] * 2, [span["name"] for span in costs])
        self.assertEqual({11}, {span["activity"] for span in costs})
        self.assertTrue(any(one["recorder"] == "torch.profiler windows" and one["held_up_ns"] > 0 for one in spool.of("OVERHEAD")))
        for trace in traces:
            operators = [event for event in trace["traceEvents"] if event.get("name") == "aten::addmm"]
            self.assertEqual({span["tid"] for span in spool.spans("forward Sequential")}, {event["tid"] for event in operators})
            offset_ns = trace["baseTimeNanoseconds"] - clock["realtime_ns"] + clock["monotonic_ns"]
            starts = [offset_ns + int(event["ts"] * 1000) for event in operators]
            inside = sum(any(start <= one <= end for start, end in forwards) for one in starts)
            self.assertGreater(inside, 0.95 * len(starts))

    def test_a_profiler_of_the_programs_own_ends_the_windows_and_loses_nothing(self):
        spool, traces, told = self.run_windows("""\
warm_up()
with torch.profiler.profile() as own:
    for _ in range(7): net(x)
    with torch.profiler.record_function("mine"): pass
events = own.key_averages()
assert sum(event.count for event in events if event.key == "aten::addmm") == 7, events
warm_up()
""", "50x9")
        self.assertEqual(1, len(traces))
        self.assertEqual("the program uses a profiler of its own", told["why"])
        self.assertEqual((1, 49), (told["recorded"], told["missing"]))
        self.assertEqual(1, len(spool.spans("mine")))

    def test_a_window_that_is_open_at_the_end_is_kept(self):
        _, traces, told = self.run_windows("warm_up()\n", "1x9")
        self.assertEqual((1, 1, 0), (len(traces), told["recorded"], told["missing"]))

    @tagged("slow")
    def test_no_window_at_all_is_said(self):
        _, traces, told = self.run_windows("thread = threading.Thread(target=warm_up); thread.start(); thread.join()\n", "1x0.1")
        self.assertEqual(([], 2), (traces, told["status"]))
        self.assertIn("no module was called often enough", told["why"])

    def test_a_profiler_that_fails_costs_the_windows_only(self):
        _, traces, told = self.run_windows("""\
def broken(self): raise RuntimeError("no such device")
torch.autograd.profiler.profile.__enter__ = broken
warm_up()
""", "3x0.1")
        self.assertEqual(([], 2, "RuntimeError: no such device"), (traces, told["status"], told["why"]))


if __name__ == "__main__":
    unittest.main()
