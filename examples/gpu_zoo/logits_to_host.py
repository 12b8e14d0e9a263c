"""A decode loop that copies all logits of a step to the host and chooses the token there."""

import gpu
from gpu import torch


def main():
    rows, vocabulary = (4, 1000) if gpu.DEVICE.stand_in else (64, 128000)
    model, width, kind = gpu.decoder(layers=4)
    head = torch.rand((width, vocabulary), dtype=kind, device=gpu.DEVICE.name)
    state = torch.rand((rows, width), dtype=kind, device=gpu.DEVICE.name)
    plant = gpu.Plant("copy.d2h")
    for step in gpu.steady():
        logits = model(state) @ head
        if gpu.PLANTED:
            with plant.on_device():
                logits = logits.cpu()
        chosen = logits[:, 0] if gpu.PLANTED else logits.argmax(-1)
        assert chosen.shape[0] == rows
    gpu.finish(plant)


if __name__ == "__main__":
    main()
