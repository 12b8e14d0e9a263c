"""Runs a program of many threads and processes under `inferscope run` for some minutes, and prints InferScope's CPU time and memory.

    lab/bench soak [--minutes 10] [--processes 20] [--threads 10] [--overhead P%] [--python PYTHON]

Each process has THREADS Python threads: one computes a third of the time, the others wake up 10 times a second, wait for a lock that
another one holds, or for a queue. Once a minute a row: resident memory and threads of InferScope, its CPU share since the row before,
bytes of all spools, and how often the host collector stored a record. Memory is flat when the rows after the second minute are alike.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from measuring import LAUNCHER, once

PROGRAM = r"""
import multiprocessing, queue, sys, threading, time

def compute(end):
    while time.monotonic() < end:
        until = time.thread_time() + 0.005
        while time.thread_time() < until:
            sum(range(500))
        time.sleep(0.01 * PROCESSES)

def wake(end, lock):
    while time.monotonic() < end:
        with lock:
            time.sleep(0.01)
        time.sleep(0.1)

def give(end, items):
    while time.monotonic() < end:
        items.put(time.monotonic())
        time.sleep(0.1)
    items.put(None)

def take(items):
    while items.get() is not None:
        pass

def work(threads, end):
    lock, items = threading.Lock(), queue.Queue()
    jobs = [(compute, (end,)), (give, (end, items)), (take, (items,))]
    jobs += [(wake, (end, lock))] * (threads - 1 - len(jobs))
    for job, arguments in jobs:
        threading.Thread(target=job, args=arguments).start()

PROCESSES, THREADS, SECONDS = map(int, sys.argv[1:])
if __name__ == "__main__":
    end = time.monotonic() + SECONDS
    context = multiprocessing.get_context("fork")
    for _ in range(PROCESSES - 1):
        context.Process(target=work, args=(THREADS, end)).start()
    work(THREADS, end)
"""


def jvm(pid):
    """The launcher may start the JVM as a child; the observing process is the one named java."""
    while True:
        found = subprocess.run(["ps", "-eo", "pid,ppid,comm"], capture_output=True, text=True).stdout.split("\n")[1:]
        rows = [line.split(None, 2) for line in found if line.strip()]
        family = {pid}
        for _ in rows:
            family |= {int(row[0]) for row in rows if int(row[1]) in family}
        for row in rows:
            if int(row[0]) in family and row[2] == "java":
                return int(row[0])
        time.sleep(0.05)


def reading(pid, spools):
    """Returns CPU seconds, resident MiB and threads of a process, and the bytes and files of the spool folder."""
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    with open("/proc/%d/status" % pid) as file:
        status = file.read()
    sizes = [path.stat().st_size for folder in spools.glob("spool_*") for path in folder.glob("*.spool")]
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return cpu, int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024, int(fields[17]), sum(sizes), len(sizes)


def soak(arguments, folder):
    once([LAUNCHER, "--version"])  # It may have to build itself first.
    program = folder / "soak_program.py"
    program.write_text(PROGRAM)
    seconds = int(arguments.minutes * 60)
    command = [LAUNCHER, "run", "--overhead", arguments.overhead, "--trace", str(folder / "t.json.gz"), "--report", str(folder / "r.json"),
               "--keep-spool", "--", arguments.python, str(program), str(arguments.processes), str(arguments.threads), str(seconds + 5)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=(folder / "stderr").open("w"))
    pid = jvm(process.pid)
    start, last = time.monotonic(), None
    print("| minute | RSS MiB | threads | CPU share since | spools MB | MB since |\n|---|---|---|---|---|---|")
    for step in range(int(arguments.minutes * 60 / arguments.every) + 1):
        time.sleep(max(0, start + 3 + step * arguments.every - time.monotonic()))
        now = (time.monotonic(),) + reading(pid, folder)
        if last:
            share = (now[1] - last[1]) / (now[0] - last[0])
            print("| %.1f | %.0f | %d | %.2f %% | %.2f in %d | %.2f |" % (
                (now[0] - start) / 60, now[2], now[3], share * 100, now[4] / 1e6, now[5], (now[4] - last[4]) / 1e6), flush=True)
        last = now
    code = process.wait()
    print("\nended with %d; %s" % (code, (folder / "stderr").read_text().strip()[-2000:]))
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=60, help="seconds between rows")
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--threads", type=int, default=10)
    parser.add_argument("--overhead", default="3%")
    parser.add_argument("--python", default="python3")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(soak(arguments, pathlib.Path(folder)))
