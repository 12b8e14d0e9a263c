"""Which processes record shapes, and into which files. Runs where INFERSCOPE_TEST_TORCH=1."""

from shapes_support import SMALL, Recorded, require_torch
from support import environment


def setUpModule():
    require_torch()


POOL = """\
import os, sys
def work(rank):
    os.environ["RANK"] = str(rank)
    import torch
    torch.set_num_threads(1)
    torch.nn.Linear(8, rank + 1)(torch.ones(2, 8))
if __name__ == "__main__":
    import multiprocessing
    context = multiprocessing.get_context("%s")
    workers = [context.Process(target=work, args=(rank,)) for rank in range(2)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    assert [worker.exitcode for worker in workers] == [0, 0]
"""


class ActivationTest(Recorded):
    def test_nothing_happens_unless_asked(self):
        nothing = "import sys\nassert not [name for name in sys.modules if name.startswith('inferscope')]\n"
        for value, source in (("0", SMALL + "model(x)\nassert torch._C._len_torch_dispatch_stack() == 0\n"), ("", "")):
            env = self.shapes_environment()
            env["SGLANG_PROFILE_SHAPES"] = value
            self.run_python(self.script(source + nothing), env=env)
        self.assertEqual(["program.py", "spools"], sorted(path.name for path in self.folder.iterdir()))

    def test_a_program_without_torch_loads_nothing_and_leaves_nothing(self):
        self.run_python("-c", "import sys; print(len(sys.modules), 'mmap' in sys.modules, 'json' in sys.modules)", env=self.shapes_environment())
        self.assertEqual(["spools"], sorted(path.name for path in self.folder.iterdir()))

    def test_only_the_rank_asked_for_or_all_in_files_of_their_own(self):
        source = SMALL + "model(x)\n"
        self.run_copy(source, RANK=1, more={"RANK": "0"})
        self.assertFalse((self.folder / "shapes.jsonl").exists())
        self.record(source, RANK=1, more={"RANK": "1"})
        self.assertEqual(1, self.summary()["rank"])
        self.run_copy(source, RANK="all", more={"LOCAL_RANK": "3"})
        self.assertEqual(3, self.summary("shapes_rank3_summary.json")["rank"])

    def test_a_pool_of_ranked_workers(self):
        self.run_python(self.script(POOL % "spawn", "pool.py"), env=self.shapes_environment(RANK="all", FILE="spawn.jsonl"))
        self.run_copy(POOL % "fork", RANK="all", FILE="fork.jsonl")
        for method in ("spawn", "fork"):
            for rank in range(2):
                rows = self.rows("%s_rank%d.jsonl" % (method, rank))
                self.assertEqual([2, rank + 1], rows[-1]["outputs"]["shape"])
                self.assertEqual(rank, self.summary("%s_rank%d_summary.json" % (method, rank))["rank"])
        self.assert_nothing_left()

    def test_two_processes_of_one_rank_never_share_a_file(self):
        self.record(SMALL + """\
import os
model(x)
pid = os.fork()
if pid == 0:
    model(torch.ones(5, 8))
    raise SystemExit(0)
assert os.waitpid(pid, 0)[1] == 0
model(x)
""")
        child = [path.name for path in self.folder.glob("shapes_pid*.jsonl")]
        self.assertEqual(1, len(child))
        self.assertEqual([2, 2], [row["outputs"]["shape"][0] for row in self.rows() if row["operation"] == "aten.relu.default"])
        self.assertEqual([5], [row["outputs"]["shape"][0] for row in self.rows(child[0]) if row["operation"] == "aten.relu.default"])

    def test_a_senseless_setting_is_said_and_the_default_is_used(self):
        self.record(SMALL + "model(x)\n", SKIP_WARMUP="some")
        self.assertEqual("inferscope: SGLANG_PROFILE_SHAPES_SKIP_WARMUP=some is not a number; 0 is used\n", self.stderr)
        self.assertEqual(1, self.summary()["forward_passes"])
        self.record(SMALL + "model(x)\n", FIELDS="size,device")
        self.assertEqual("inferscope: SGLANG_PROFILE_SHAPES_FIELDS: size is not known; device and stride are\n", self.stderr)
        self.assertEqual("cpu", self.rows()[0]["inputs"]["self"]["device"])

    def test_what_the_recorder_could_not_do_is_in_the_summary(self):
        self.record(SMALL + """\
from inferscope import _hook
from inferscope.shapes import current
begin = current.recording.begin
def fails(*stage):
    current.recording.begin = begin
    raise ValueError("planted")
model(x)
current.recording.begin = fails
model(x)
_hook.install(torch, _hook.Hook("torch", "gone.away", purpose="shapes"))
""")
        self.assertEqual({"shapes:torch.gone.away": 1, "shapes:torch.nn.Module.__call__: failed": 1}, {
            problem.replace(": target not found", ""): often for problem, often in self.summary()["problems"].items()})

    def test_beside_the_probe_the_report_is_told_what_recording_costs(self):
        env = dict(environment(self.spool_folder), SGLANG_PROFILE_SHAPES="1")
        self.run_python(self.script(SMALL + "for _ in range(200):\n    model(x)\n"), env=env)
        costs = {record["recorder"]: record for record in self.only_spool().of("OVERHEAD")}
        self.assertEqual({"python-probe", "shapes"}, set(costs))
        shapes = costs["shapes"]
        self.assertEqual(600, shapes["events"])
        self.assertTrue(600 * 1_000 < shapes["held_up_ns"] < shapes["cpu_ns"] < 600 * 1_000_000, shapes)

    def test_a_folder_that_cannot_be_written_costs_the_program_nothing(self):
        (self.folder / "file").write_text("")
        self.run_copy(SMALL + "print(model(x).shape, model(x).shape)\n", FILE="file/shapes.jsonl")
        self.assertEqual(1, self.stderr.count("\n"), self.stderr)
        self.assertIn("inferscope: shapes are not recorded: ", self.stderr)
