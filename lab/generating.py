"""Random programs, unknown to InferScope: generated from a seed, each with a planted cause that the program itself measures.

A program is a service of random names and structure that repeats requests: a small model, some work around it, and one slow
function whose cause is drawn from CAUSES. Nothing marks its loop or its stages, so InferScope has to find them.
"""

import ast
import json
import os
import pathlib
import random
import shutil
import string
import subprocess

import measuring

WORDS = ("amber anchor atlas basin birch bishop cargo cedar cobalt copper coral delta ember falcon fern flint garnet glide harbor hazel indigo iris "
         "jasper juniper kestrel lagoon lantern maple marble meadow nectar nimbus onyx orbit pebble pepper prairie quartz quill raven ridge saffron "
         "sierra summit thistle tundra umber valley velvet walnut willow zephyr zinc").split()
STRUCTURES = ("loop", "object", "generator", "thread", "pool", "asyncio")
CLEAN, BOTH = 0.1, 0.1
LEAST, MOST = 0.35, 0.65
LOUD = ("warning", "critical")
QUEUE, MODEL = "wait.run-queue", "cpu.model-compute"
SHARE_POINTS, QUIET, CALM, WEAKEST = 0.05, 0.03, 0.25, 0.10

# The seeds of the tests: one for each structure, one for most kinds of cause that the default recording can show, and a healthy program.
FIXED, ATTEMPTS = (402, 404, 406, 408, 409, 410, 413, 416, 502, 608), 4


class Cause:
    """What can be planted: the classes that name it rightly, and its source. $F is the slow function, called with a number of rounds; other names
    in $ are drawn. where: the functions to blame, if others (of a lock, both who holds it and who waits); part: "loop" where the whole loop's
    blocked time is the cause's."""

    def __init__(self, classes, source, where="$F", part="call"):
        self.classes, self.source, self.where, self.part = classes.split(), source, where, part
        # A function that only waits is on a CPU shortly before and after each wait, which does not count as waiting.
        self.waits = all(one.startswith("wait.") and one != "wait.gc" for one in self.classes)
        # A function that uses the kernel also runs Python around its calls, which does not count as the kernel's work.
        self.enters = any(one.startswith("system.") for one in self.classes) and part == "call"


CAUSES = {
    "arithmetic in Python": Cause("cpu.python", """
def $F(rounds):
    $a = 0
    for $b in range(rounds * 400):
        $a = ($a * 31 + $b) % 65521
    return $a
"""),
    "text in Python": Cause("cpu.python", """
def $F(rounds):
    $a = []
    for $b in range(rounds):
        $a.append(",".join(sorted("k%d" % ($c * 7919 % 1000) for $c in range(120))))
    return $a
"""),
    "deep copies": Cause("cpu.python", """
import copy
$d = {"k%d" % $b: [$b, {"v": str($b)}] for $b in range(60)}
def $F(rounds):
    for $b in range(rounds):
        $a = copy.deepcopy($d)
    return $a
"""),
    "regular expressions": Cause("cpu.python", """
import re
$d = re.compile(r"([a-z]+[0-9]*)+ (?=[A-Z])")
$e = " ".join("word%d x Name" % $b for $b in range(40))
def $F(rounds):
    return [len($d.findall($e)) for $b in range(rounds)]
"""),
    "JSON": Cause("cpu.serialization", """
import json
$d = {"rows": [{"id": $b, "score": $b / 7, "tags": ["a", "b"]} for $b in range(80)]}
def $F(rounds):
    for $b in range(rounds):
        $a = json.loads(json.dumps($d))
    return $a
"""),
    "pickles": Cause("cpu.serialization", """
import pickle
$d = [{"id": $b, "text": "x" * ($b % 50)} for $b in range(400)]
def $F(rounds):
    for $b in range(rounds):
        $a = pickle.loads(pickle.dumps($d))
    return $a
"""),
    "sleeping": Cause("wait.timer", """
def $F(rounds):
    for $b in range(rounds):
        time.sleep(0.002)
"""),
    "a lock that is held": Cause("wait.lock", """
$d = threading.Lock()
def $e():
    while True:
        with $d:
            time.sleep(0.014)
        time.sleep(0.001)
threading.Thread(target=$e, daemon=True).start()
def $F(rounds):
    for $b in range(rounds):
        with $d:
            pass
""", where="$e $F"),
    "child processes": Cause("wait.child-process", """
import subprocess
def $F(rounds):
    for $b in range(rounds):
        subprocess.run([sys.executable, "-S", "-c", "sum(range(200000))"], check=True)
"""),
    "an answer from a server": Cause("wait.socket wait.timer", """
import socket
$d, $e = socket.socketpair()
if os.fork() == 0:
    while True:
        $a = $e.recv(64)
        if not $a:
            os._exit(0)
        time.sleep(0.004)
        $e.send($a)
$e.close()
def $F(rounds):
    for $b in range(rounds):
        $d.send(b"question")
        $d.recv(64)
"""),
    "synchronous writes": Cause("wait.io system.file-io", """
$d = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "$g.log"), "wb", buffering=0)
def $F(rounds):
    for $b in range(rounds):
        $d.seek(0)
        $d.write(b"z" * 20000)
        os.fsync($d.fileno())
"""),
    "small files": Cause("system.file-io wait.io", """
$d = os.path.join(os.path.dirname(os.path.abspath(__file__)), "$g")
os.makedirs($d, exist_ok=True)
for $b in range(50):
    open(os.path.join($d, "f%d" % $b), "wb").write(b"y" * 300000)
def $F(rounds):
    for $b in range(rounds):
        $a = os.open(os.path.join($d, "f%d" % ($b % 50)), os.O_RDONLY)
        os.read($a, 300000)
        os.close($a)
"""),
    "collecting garbage": Cause("wait.gc", """
import gc
$d = [{"n": [$b]} for $b in range(60000)]
def $F(rounds):
    for $b in range(rounds):
        gc.collect()
"""),
    "a thread that holds the GIL": Cause("wait.gil", """
def $e():
    $a = 0
    while not OFF:
        $a = ($a * 31 + 7) % 65521
threading.Thread(target=$e, daemon=True).start()
def $F(rounds):
    pass
""", where="$e", part="loop"),
    "fresh memory": Cause("system.page-fault system.memory-map wait.page-fault", """
import mmap
$d = bytes(2048)
def $F(rounds):
    for $b in range(rounds):
        $a = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        $a.madvise(mmap.MADV_NOHUGEPAGE)
        $a[::4096] = $d
        $a.close()
"""),
    "compression": Cause("cpu.native", """
import zlib
$d = bytes(($b * $b) % 251 for $b in range(20000))
def $F(rounds):
    for $b in range(rounds):
        $a = zlib.compress($d, 9)
    return $a
"""),
    "hashing": Cause("cpu.native", """
import hashlib
def $F(rounds):
    for $b in range(rounds):
        $a = hashlib.pbkdf2_hmac("sha256", b"key", b"salt", 1500)
    return $a
"""),
    "a database scan": Cause("cpu.native", """
import sqlite3
$d = sqlite3.connect(":memory:", check_same_thread=False)
$d.execute("create table t (a integer, b text)")
$d.executemany("insert into t values (?, ?)", (($b, "name %d" % $b) for $b in range(5000)))
def $F(rounds):
    for $b in range(rounds):
        $a = $d.execute("select count(*), sum(a) from t where b like '%99%'").fetchall()
    return $a
"""),
    "a slow feeder thread": Cause("cpu.native", """
import hashlib, queue
$d, $e = queue.Queue(), queue.Queue()
def $h(rounds):
    for $b in range(rounds):
        $a = hashlib.pbkdf2_hmac("sha256", b"key", b"salt", 1500)
    return $a
def $i():
    while True:
        $e.put($h($d.get()))
threading.Thread(target=$i, daemon=True).start()
def $F(rounds):
    $d.put(rounds)
    return $e.get()
""", where="$h"),
    "a slow worker process": Cause("cpu.python", """
import multiprocessing
def $h(rounds):
    $a = 0
    for $b in range(rounds * 400):
        $a = ($a * 31 + $b) % 65521
    return $a
def $i($c):
    while True:
        $c.send($h($c.recv()))
$d, $e = multiprocessing.get_context("fork").Pipe()
multiprocessing.get_context("fork").Process(target=$i, args=($e,), daemon=True).start()
def $F(rounds):
    $d.send(rounds)
    return $d.recv()
""", where="$h"),
    "a locked file": Cause("wait.lock", """
import fcntl
$d = os.path.join(os.path.dirname(os.path.abspath(__file__)), "$g.lock")
$e = open($d, "w")
if os.fork() == 0:
    $c = open($d, "w")
    while os.getppid() != 1:
        fcntl.flock($c, fcntl.LOCK_EX)
        time.sleep(0.012)
        fcntl.flock($c, fcntl.LOCK_UN)
        time.sleep(0.001)
    os._exit(0)
def $F(rounds):
    for $b in range(rounds):
        fcntl.flock($e, fcntl.LOCK_EX)
        fcntl.flock($e, fcntl.LOCK_UN)
"""),
    "reading weights again": Cause("framework.compile-load", """
import torch
$d = os.path.join(os.path.dirname(os.path.abspath(__file__)), "$g.pt")
torch.save({"w%d" % $b: torch.rand(160, 160) for $b in range(20)}, $d)
def $F(rounds):
    for $b in range(rounds):
        $a = torch.load($d, weights_only=True)
    return $a
"""),
    "importing again": Cause("framework.compile-load", """
import importlib
open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "$g.py"), "w").write("\\n".join("def f%d(x): return [x, %d]" % ($b, $b) for $b in range(60)))
sys.dont_write_bytecode = True
import $g
def $F(rounds):
    for $b in range(rounds):
        importlib.reload($g)
"""),
    "a tokenizer": Cause("cpu.tokenization", """
import tokenizers
$d = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="?"))
$d.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
$d.train_from_iterator(["some words of a text that nobody reads %d" % $b for $b in range(200)], tokenizers.trainers.BpeTrainer(vocab_size=200, show_progress=False))
$e = " ".join("text%d of words" % $b for $b in range(300))
def $F(rounds):
    for $b in range(rounds):
        $a = $d.encode($e).ids
    return $a
"""),
    "finding other processes": Cause("system.file-io wait.io", """
def $F(rounds):
    for $b in range(rounds):
        for $c in os.listdir("/proc"):
            if $c.isdigit():
                try:
                    $a = os.open("/proc/%s/status" % $c, os.O_RDONLY)
                    os.read($a, 4096)
                    os.close($a)
                except OSError:
                    pass
"""),
}

STOPWATCH = '''"""The clock of a generated program: what its parts took, by thread, in nanoseconds."""
import json, os, resource, sys, threading, time

OFF = "--off" in sys.argv
SECONDS = float(os.environ.get("GENERATED_SECONDS", "4"))
STEPS = int(os.environ.get("GENERATED_STEPS", "0"))


class Clock(threading.local):
    def __init__(self):
        self.file = os.open("/proc/self/task/%d/schedstat" % threading.get_native_id(), os.O_RDONLY)

    def read(self):
        system = round(resource.getrusage(resource.RUSAGE_THREAD).ru_stime * 1e9)
        return time.perf_counter_ns(), time.thread_time_ns(), int(os.pread(self.file, 96, 0).split()[1]), system


CLOCK, COUNTS = Clock(), []


class Part:
    def __init__(self):
        self.wall = self.running = self.queued = self.system = 0
        self.log = []  # of each time: begin, wall, running, queued, system

    def __enter__(self):
        self.begin = CLOCK.read()

    def __exit__(self, *error):
        wall, running, queued, system = (after - before for before, after in zip(self.begin, CLOCK.read()))
        self.log.append((self.begin[0], wall, running, queued, system))
        if COUNTS:
            self.wall, self.running, self.queued, self.system = self.wall + wall, self.running + running, self.queued + queued, self.system + system


PLANTS, REQUEST, LOOP = (Part(), Part()), Part(), Part()


def took(work, rounds):
    begin = time.perf_counter()
    work(rounds)
    return time.perf_counter() - begin


def unit(work, part=Part()):
    """The wall time of one round: the median of five times as many as take some milliseconds. The first calls of a model take longer."""
    rounds = 1
    with part:
        while took(work, rounds) < 0.006 and rounds < 1 << 20:
            rounds *= 2
        return sorted(took(work, rounds) for again in range(5))[2] / rounds


def stolen():
    """CPU time in ns that the hypervisor gave to other machines: proc(5). The kernel counts it in no thread's figures."""
    with open("/proc/stat") as file:
        return int(file.readline().split()[8]) * 1000000000 // os.sysconf("SC_CLK_TCK")


def requests():
    for number in range(3):
        yield number
    stolen_before = stolen()
    COUNTS.append(True)
    LOOP.__enter__()
    number, end = 3, time.monotonic() + SECONDS
    while (number < STEPS + 3) if STEPS else time.monotonic() < end:
        yield number
        number += 1
    LOOP.__exit__()
    COUNTS.clear()
    parts = {name: vars(part) for name, part in (("loop", LOOP), ("request", REQUEST), ("plant0", PLANTS[0]), ("plant1", PLANTS[1]))}
    with open(os.environ.get("GENERATED_TRUTH", "/dev/stdout"), "w") as file:
        json.dump({"steps": number - 3, "off": OFF, "stolen": stolen() - stolen_before, "parts": {name: {key: part[key] for key in ("wall", "running", "queued", "system", "log")}
                                                              for name, part in parts.items()}}, file)
'''

HEAD = '''"""Serves $w1 requests."""
import os
import sys
import threading
import time

import torch
from stopwatch import OFF, PLANTS, REQUEST, requests, unit

torch.set_num_threads(1)


class $M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.$x = torch.nn.Sequential(*[layer for size in range($layers) for layer in (torch.nn.Linear($width, $width), torch.nn.$act())])

    def forward(self, $y):
        return self.$x($y)


$m = $M().eval()
$z = torch.rand($batch, $width)


def $p(rounds):
    with torch.inference_mode():
        for $b in range(rounds):
            $y = $m($z)
    return $y
'''

CALLS = '''
def $r(number):
    with REQUEST:
$before        $q = $p(MODEL_ROUNDS)
$after    return $q
'''

SIZES = '''
$sizes
PLANTED = $planted
MODEL_ROUNDS = max(1, round(max(0.02, PLANTED) * $model_share / $plant_share / unit($p)))
'''

MAIN = {
    "loop": '''
def main():
    for number in requests():
        $r(number)
''',
    "object": '''
class $C:
    def __init__(self):
        self.$x = 0

    def $s(self, number):
        self.$x += 1
        return $r(number)

    def $t(self):
        for number in requests():
            self.$s(number)


def main():
    $C().$t()
''',
    "generator": '''
def $s($y):
    for number in $y:
        yield $r(number)


def main():
    for $x in $s(requests()):
        pass
''',
    "thread": '''
import queue


def $s($x, $y):
    while True:
        $y.put($r($x.get()))


def main():
    $x, $y = queue.Queue(), queue.Queue()
    threading.Thread(target=$s, args=($x, $y), daemon=True).start()
    for number in requests():
        $x.put(number)
        $y.get()
''',
    "pool": '''
import concurrent.futures


def main():
    with concurrent.futures.ThreadPoolExecutor(2) as $x:
        for number in requests():
            $x.submit($r, number).result()
''',
    "asyncio": '''
import asyncio


async def $s(number):
    await asyncio.sleep(0)
    return $r(number)


async def $t():
    for number in requests():
        await $s(number)


def main():
    asyncio.run($t())
''',
}


class Names(dict):
    """Draws a name for each placeholder at its first use, each name only once."""

    def __init__(self, draw, taken, **known):
        super().__init__(known)
        self.draw, self.taken = draw, taken

    def __missing__(self, key):
        while True:
            name = "_".join(self.draw.sample(WORDS, 2))
            if name not in self.taken:
                break
        self.taken.add(name)
        self[key] = name.title().replace("_", "") if key in "MC" else name
        return self[key]


class Program:
    """The program of a seed: its source and its planted causes."""

    def __init__(self, seed, only=None):
        draw = random.Random(seed)
        self.seed, self.structure = seed, draw.choice(STRUCTURES)
        kind = draw.random()
        count = 0 if kind < CLEAN else 2 if kind < CLEAN + BOTH else 1
        plain = [name for name, cause in CAUSES.items() if cause.part == "call"]
        self.causes = draw.sample(plain if count == 2 else list(CAUSES), count)
        if only is not None:
            self.causes = [only]
        taken = set()
        names = Names(draw, taken, layers=draw.randint(3, 8), width=draw.choice((1024, 1280, 1536)), batch=draw.choice((1, 4, 16)), act=draw.choice(
            ("ReLU", "GELU", "Tanh")), w1=draw.choice(WORDS))
        self.name = names["file"]
        text, self.planted = fill(HEAD, names), []
        share = draw.uniform(LEAST, MOST)
        calls, sizes = [], []
        for number, name in enumerate(self.causes):
            own = Names(draw, taken)
            text += fill(CAUSES[name].source, own)
            part = share / len(self.causes)
            self.planted.append((name, [own[where[1:]] for where in CAUSES[name].where.split()]))
            sizes.append("ROUNDS%d = max(1, round(%.4f / unit(%s, PLANTS[%d])))\nUNIT%d = unit(%s, PLANTS[%d])" % (
                number, 0.05 * part, own["F"], number, number, own["F"], number))
            calls.append("        if not OFF:\n            with PLANTS[%d]:\n                %s(ROUNDS%d)\n" % (number, own["F"], number))
        looped = any(CAUSES[name].part == "loop" for name in self.causes)
        planted = " + ".join("ROUNDS%d * UNIT%d" % (n, n) for n in range(len(self.causes))) if self.causes and not looped else "0.02"
        first = draw.randint(0, len(calls))
        names.update(before="".join(calls[:first]), after="".join(calls[first:]), sizes="\n".join(sizes), planted=planted,
                     model_share="%.3f" % (1 - share), plant_share="%.3f" % share)
        text += fill(SIZES, names) + fill(CALLS, names) + fill(MAIN[self.structure], names)
        self.source = text + '\n\nif __name__ == "__main__":\n    main()\n'

    def is_in(self, place, functions):
        """Whether a place, file:line function, is in one of the functions, by its line."""
        file, _, line = place.partition(" ")[0].partition(":")
        lines = [(one.lineno, one.end_lineno) for one in ast.walk(ast.parse(self.source)) if getattr(one, "name", "") in functions]
        return file == self.name + ".py" and line.isdigit() and any(first <= int(line) <= last for first, last in lines)


def fill(text, names):
    return string.Template(text).substitute(names)


def main(folder, options):
    """Runs programs and prints how well their reports explain them; returns the exit code."""
    results = []
    for seed in range(options.generate, options.generate + options.count):
        program = Program(seed, options.cause)
        try:
            results.append(judge(program, folder / str(seed), options))
        except RuntimeError as error:
            results.append(None)
            print("%-6d FAIL %s: %s" % (seed, " and ".join(program.causes) or "healthy", error), flush=True)
        if not options.keep:
            shutil.rmtree(folder / str(seed), ignore_errors=True)
    summarise([one for one in results if one])
    return 1 if None in results else 0


def hold(folder, options):
    """Runs the programs of FIXED until each is judged right, or wrong twice on a calm machine; returns the seeds by outcome."""
    outcomes = {"passed": [], "failed": [], "skipped": []}
    for seed in FIXED:
        outcomes[hold_one(Program(seed), folder / str(seed), options)].append(seed)
        shutil.rmtree(folder / str(seed), ignore_errors=True)
    return outcomes


def hold_one(program, folder, options):
    wrong = 0
    for attempt in range(ATTEMPTS):
        try:
            result = judge(program, folder, options)
        except RuntimeError as error:
            print("%-6d FAIL %s" % (program.seed, error), flush=True)
            return "failed"
        if result["right"] and result.get("placed", True):
            return "passed"
        wrong += result["taken"] <= CALM and result.get("clocked", 1) >= WEAKEST
        if wrong == 2:
            return "failed"
    return "skipped"


def write(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stopwatch.py").write_text(STOPWATCH, encoding="utf-8")
    (folder / (program.name + ".py")).write_text(program.source, encoding="utf-8")


def observe(program, folder, options):
    truth, report, trace = folder / "truth.json", folder / "report.json", folder / "trace.json.gz"
    if options.recorded:
        subprocess.run([options.inferscope, "analyze", str(trace), "-o", str(report)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    else:
        write(program, folder)
        command = [options.inferscope, "run", "--trace", str(trace), "-o", str(report)] + (["--no-native"] if options.no_native else [])
        run_program(command + ["--"], program, folder, options, truth)
    if not report.exists() or not truth.exists():
        raise RuntimeError("no report or no truth in %s" % folder)
    read = json.loads(report.read_text(encoding="utf-8"))
    if measuring.contradictions(read):
        raise RuntimeError("; ".join(measuring.contradictions(read)))
    return json.loads(truth.read_text(encoding="utf-8")), read


def run_program(before, program, folder, options, truth, *arguments, **more):
    environment = dict(os.environ, GENERATED_TRUTH=str(truth), GENERATED_SECONDS=str(options.seconds), OMP_NUM_THREADS="1", TMPDIR=str(folder),
                       **more)
    command = before + [options.python, str(folder / (program.name + ".py")), *arguments]
    with open(folder / "log", "w", encoding="utf-8") as log:
        code = subprocess.run(command, env=environment, cwd=folder, stdout=log, stderr=log, timeout=300).returncode
    if code != 0:
        raise RuntimeError("exit code %d: %s" % (code, (folder / "log").read_text(encoding="utf-8")[-300:]))


def judge(program, folder, options):
    truth, report = observe(program, folder, options)
    parts = truth["parts"]
    loop_ns = parts["loop"]["wall"]
    taken = (parts["loop"]["queued"] + (parts["request"]["queued"] if program.structure in ("thread", "pool") else 0)) / loop_ns
    taken += truth.get("stolen", 0) / loop_ns
    shares = {one["id"]: one["share"] for one in report["ledgers"][0]["classes"]}
    rankable = {name: share for name, share in shares.items() if name != MODEL}
    rankable[QUEUE] = max(0.0, rankable.get(QUEUE, 0.0) - taken)
    largest = max(rankable, key=rankable.get)
    loud = [one for one in report["findings"] if one["severity"] in LOUD and one["causes"] != [QUEUE]]
    result = {"seed": program.seed, "causes": program.causes, "structure": program.structure, "largest": largest, "taken": taken,
              "loud": [one["rule"] for one in loud], "judged": report["ledgers"][0]["part"]}
    if program.causes:
        clocked = []
        for number, (name, functions) in enumerate(program.planted):
            part, of_ns = judged_part(parts, "plant%d" % number, report["judged"]) if CAUSES[name].part == "call" else (
                blocked_all_along(parts, program), loop_ns)
            besides = part["queued"] + (part["running"] if CAUSES[name].waits and CAUSES[name].part == "call" else 0)
            besides += part["running"] - part.get("system", part["running"]) if CAUSES[name].enters else 0
            clocked.append(((part["wall"] - besides) / of_ns, CAUSES[name].classes, name, functions))
        close = [one for one in clocked if one[0] >= max(clocked)[0] - SHARE_POINTS]
        share, classes, name, functions = max(close, key=lambda one: (largest in one[1], one[0]))  # Of two equal causes either may be named.
        place = first_place(report, classes)
        reported = sum(shares.get(one, 0.0) for one in classes)
        share = sum(one[0] for one in clocked if set(one[1]) & set(classes))  # Two causes of one class are one share.
        result.update(cause=name, clocked=share, reported=reported, right=largest in classes, placed=program.is_in(place, functions),
                      found=bool(loud) and not set(loud[0]["causes"]).isdisjoint(classes))
        print("%-6d %-9s %-28s %-24s %5.1f%% %5.1f%%  %-4s %s%s" % (
            program.seed, program.structure, name, largest, 100 * share, 100 * reported, "ok" if result["right"] and result["placed"] else "FAIL",
            place or "-", "" if result["placed"] else " instead of " + functions[-1]), flush=True)
    else:
        result.update(cause="healthy", right=not loud)
        print("%-6d %-9s %-28s %-24s %5s  %5.1f%%  %-4s %s" % (program.seed, program.structure, "healthy", largest, "-", 100 * rankable[largest],
                                                             "ok" if not loud else "FAIL", ", ".join(result["loud"])), flush=True)
    if result["judged"] != "steady-state":
        print("%6s judged is the %s" % ("", result["judged"]), flush=True)
    if taken > QUIET:
        print("%6s the machine took %.0f %% of its time" % ("", 100 * taken), flush=True)
    return result


def judged_part(parts, name, judged):
    """Returns what a part took in the time that the report judges, and how long that is. The steady state may begin before the loop, where the
    program measures its rounds; of a report that misses some of the loop, the truth is that of the loop."""
    part = parts[name]
    if "log" not in part:  # recorded by an earlier version
        return part, parts["loop"]["wall"]
    (loop,) = parts["loop"]["log"]
    begin, end, missed = judged["startNs"], judged["endNs"], 0.05 * loop[1]
    if begin > loop[0] + missed or end < loop[0] + loop[1] - missed or end - begin > 1.2 * loop[1]:
        return part, loop[1]
    sums = [0.0] * 4
    for one in part["log"]:
        inside = max(0, min(end, one[0] + one[1]) - max(begin, one[0])) / max(1, one[1])
        sums = [total + inside * more for total, more in zip(sums, one[1:])]
    return dict(zip(("wall", "running", "queued", "system"), sums)), end - begin


def blocked_all_along(parts, program):
    """Time in which the loop was blocked, but not waiting for the thread that served it."""
    who = [parts["loop"]] + ([parts["request"]] if program.structure in ("thread", "pool") else [])
    return {"wall": parts["loop"]["wall"], "queued": min(parts["loop"]["wall"], sum(one["running"] + one["queued"] for one in who))}


def first_place(report, classes):
    """The first place that the report names for a class: in the first finding about it, otherwise in the table of the judged thread's time."""
    for finding in report["findings"]:
        if set(finding["causes"]) & set(classes):
            for evidence in finding["evidence"]:
                if evidence.get("where"):
                    return short(evidence["where"])
    lines = [line for line in report["hostTime"] if line["cause"] in classes and line["where"]]
    return short(lines[0]["where"]) if lines else ""


def short(place):
    file, _, function = place.partition(" ")
    return (os.path.basename(file) + " " + function)[:60]


def summarise(results):
    weak = [one for one in results if one["causes"] and one["clocked"] < WEAKEST]
    planted = [one for one in results if one["causes"] and one not in weak]
    healthy = [one for one in results if not one["causes"]]
    quiet = [one for one in planted if one["taken"] <= QUIET]
    calm = [one for one in planted if one["taken"] <= CALM]
    print()
    print("planted -> largest class of the report, where that is another one:")
    wrong = {}
    for one in planted:
        if not one["right"]:
            wrong.setdefault((one["cause"], one["largest"]), []).append(one["seed"])
    for (cause, largest), seeds in sorted(wrong.items()):
        print("  %-28s %-24s %s" % (cause, largest, " ".join(map(str, seeds))))
    if weak:
        print("not judged, as the cause took less than %.0f %% of the time: %s" % (100 * WEAKEST, " ".join(str(one["seed"]) for one in weak)))

    def line(what, good, of):
        print("%-34s %d of %d" % (what, good, of))
    line("cause", sum(one["right"] for one in planted), len(planted))
    line("cause, when fairly calm", sum(one["right"] for one in calm), len(calm))
    line("first finding is about it", sum(one["found"] for one in planted), len(planted))
    line("place", sum(one["placed"] for one in planted), len(planted))
    line("share within 5 points, when quiet", sum(one["right"] and abs(one["clocked"] - one["reported"]) <= SHARE_POINTS for one in quiet), len(quiet))
    line("healthy without a loud finding", sum(one["right"] for one in healthy), len(healthy))

