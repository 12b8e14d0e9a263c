"""A service with a fine-tuned head per customer, which it reads from its checkpoint for every request."""

import os
import tempfile

import zoo


def use_adapter(model, file):
    import torch

    state = torch.load(file, map_location="cpu", weights_only=True)
    model.load_state_dict(state, strict=False)


def main():
    import torch

    model, ids = zoo.embedding_model(384), zoo.tokens(6, 32)
    folder = tempfile.mkdtemp()
    files = [os.path.join(folder, "customer-%d.pt" % i) for i in range(4)]
    for file in files:
        torch.save({name: value for name, value in model.state_dict().items() if ".attention." in name}, file)
    plant = zoo.Plant("place", use_adapter, part="wall", causes=("framework.compile-load", "cpu.serialization", "library.python", "framework.python"))
    for step in zoo.steady():
        with plant:
            if zoo.PLANTED:
                use_adapter(model, files[step % 4])
        zoo.embed(model, ids)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
