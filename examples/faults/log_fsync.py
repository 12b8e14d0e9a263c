"""A scoring service that writes an audit line for every item and syncs the file to the disk each time."""

import json
import os
import pathlib

import zoo


def audit(file, scores):
    for number, score in enumerate(scores):
        file.write(json.dumps({"item": number, "score": score}) + "\n")
        file.flush()
        os.fsync(file.fileno())


def main():
    model, ids = zoo.embedding_model(512), zoo.tokens(96, 4)
    path = pathlib.Path("audit-%d.log" % os.getpid())  # In the working folder: /tmp may be memory.
    plant = zoo.Plant("place", audit, part="wall", causes=("wait.io", "system.file-io"))
    with open(path, "w", encoding="utf-8") as file:
        for step in zoo.steady():
            scores = zoo.embed(model, ids)[:, 0].tolist()
            with plant:
                if zoo.PLANTED:
                    audit(file, scores)
            if not zoo.PLANTED:
                file.write(json.dumps(scores) + "\n")
    path.unlink()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
