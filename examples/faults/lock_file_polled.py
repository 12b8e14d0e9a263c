"""A worker that keeps its results in a cache which another worker writes too: filelock asks for the file's lock every 50 ms."""

import json
import os
import subprocess
import sys
import tempfile

import zoo

OTHER = """
import fcntl, sys, time
print("ready", flush=True)
with open(sys.argv[1], "a") as file:
    while True:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(0.008)
        fcntl.flock(file, fcntl.LOCK_UN)
        time.sleep(0.012)
"""


def store_result(folder, name, value, pause):
    import filelock

    with filelock.FileLock(os.path.join(folder, "cache.lock"), poll_interval=pause):
        path = os.path.join(folder, "cache.json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump({name: value}, file)
        os.replace(path + ".new", path)


def main():
    with tempfile.TemporaryDirectory() as folder:
        other = subprocess.Popen([sys.executable, "-S", "-c", OTHER, os.path.join(folder, "cache.lock")], stdout=subprocess.PIPE, text=True)
        other.stdout.readline()
        model, ids = zoo.embedding_model(512), zoo.tokens(8, 32)
        plant = zoo.Plant("place", store_result, part="wall", causes=("wait.timer",))
        for step in zoo.steady():
            values = zoo.embed(model, ids).mean(1).tolist()
            if zoo.PLANTED:
                with plant:
                    store_result(folder, "step-%d" % step, values, 0.05)
            else:
                path = os.path.join(folder, "own-%d.json" % os.getpid())
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(values, file)
        other.terminate()
        other.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
