"""A decode loop that asks for each token's value before it launches the next."""

import gpu
from gpu import torch


def choose_token(logits):
    return logits.argmax().item()


def main():
    model, width, kind = gpu.decoder()
    state = torch.rand((1, width), dtype=kind, device=gpu.DEVICE.name)
    graph = gpu.DEVICE.graph(lambda: model(state))
    plant = gpu.Plant(gpu.LAUNCHING, choose_token)
    for step in gpu.steady():
        plant.work_begins()
        graph.replay()
        plant.work_ends()
        if gpu.PLANTED:
            choose_token(state)
    gpu.finish(plant)


if __name__ == "__main__":
    main()
