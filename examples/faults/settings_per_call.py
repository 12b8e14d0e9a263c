"""A classifier that reads its labels and settings from a file for every batch."""

import json
import os
import tempfile

import zoo


def labels(file):
    with open(file, encoding="utf-8") as settings:
        return json.load(settings)["labels"]


def main():
    file = os.path.join(tempfile.mkdtemp(), "settings.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"labels": [{"id": i, "name": zoo.text(3, i), "parents": list(range(i % 9))} for i in range(12000)]}, out)
    model, batch = zoo.vision_model(), zoo.pictures(2)
    kept = labels(file)
    plant = zoo.Plant("place", labels, part="wall", causes=("cpu.serialization", "wait.gc"))
    for step in zoo.steady():
        with plant:
            known = labels(file) if zoo.PLANTED else kept
        best = int(model(pixel_values=batch)[0][0, 0].argmax())
        known[best % len(known)]["name"]
    zoo.finish(plant)


if __name__ == "__main__":
    main()
