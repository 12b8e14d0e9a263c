"""An embedding service that starts another program for each document."""

import os
import subprocess
import tempfile

import zoo


def convert_document(name):
    return subprocess.call(["gzip", "-9", "-c", name], stdout=subprocess.DEVNULL)


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(8, 32)
    plant = zoo.Plant("wait.child-process", convert_document, "blocked")
    with tempfile.NamedTemporaryFile("w", prefix="zoo-document-") as file:
        file.write(zoo.text(200000) + os.urandom(1 << 19).hex())
        file.flush()
        for step in zoo.steady():
            with plant:
                if zoo.PLANTED:
                    convert_document(file.name)
            zoo.embed(model, ids)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
