"""A data set kept in a compressed .npz: each item asks the archive for the whole array, which is read and inflated again."""

import os
import tempfile

import zoo


class Labels:
    def __init__(self, file):
        import numpy as np

        self.archive = np.load(file)
        self.kept = self.archive["labels"]

    def __getitem__(self, number):
        return self.archive["labels"][number]

    def kept_at(self, number):
        return self.kept[number]


def main():
    import numpy as np
    import torch

    file = os.path.join(tempfile.mkdtemp(), "labels.npz")
    np.savez_compressed(file, labels=np.random.default_rng(0).integers(0, 50, (4000, 24), np.int64))
    labels, model, ids = Labels(file), zoo.embedding_model(384), zoo.tokens(8, 32)
    plant = zoo.Plant("place", Labels.__getitem__, part="wall", causes=("cpu.native", "cpu.preprocessing", "library.python", "system.file-io"))
    for step in zoo.steady():
        numbers = [(step * 8 + number) % 4000 for number in range(8)]
        if zoo.PLANTED:
            with plant:
                chosen = [labels[number] for number in numbers]
        else:
            chosen = [labels.kept_at(number) for number in numbers]
        (zoo.embed(model, ids)[:, :24] - torch.from_numpy(np.stack(chosen))).abs().mean()
    os.remove(file)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
