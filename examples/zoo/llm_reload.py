"""A language model that loads its weights again for every batch."""

import os
import tempfile

import zoo


def reload_weights(model, name):
    import torch

    model.load_state_dict(torch.load(name, weights_only=True), assign=True)


def main():
    import torch

    model, ids = zoo.language_model(768), zoo.tokens(1, 16)
    plant = zoo.Plant("framework.compile-load", reload_weights)
    folder = tempfile.TemporaryDirectory(prefix="zoo-weights-")
    name = os.path.join(folder.name, "weights.pt")
    torch.save(model.state_dict(), name)
    for step in zoo.steady():
        with plant:
            if zoo.PLANTED:
                reload_weights(model, name)
        zoo.decode(model, ids, 2)
    folder.cleanup()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
