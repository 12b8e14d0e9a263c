"""An embedding service that starts another program for each document."""

import os
import subprocess
import tempfile

import zoo


def convert_document(name):
    """Returns how long the converter was runnable without a CPU; read before its process is gone."""
    process = subprocess.Popen(["gzip", "-9", "-c", name], stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    queued = zoo.queued_ns(process.pid)
    process.wait()
    return queued


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(8, 32)
    plant = zoo.Plant("wait.child-process", convert_document, "blocked")
    with tempfile.NamedTemporaryFile("w", prefix="zoo-document-") as file:
        file.write(zoo.text(200000) + os.urandom(1 << 19).hex())
        file.flush()
        for step in zoo.steady():
            with plant:
                queued = convert_document(file.name) if zoo.PLANTED else 0
            plant.add(-queued, queued)
            zoo.embed(model, ids)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
