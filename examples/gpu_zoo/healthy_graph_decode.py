"""A healthy program: a decode step as a CUDA graph, replayed back to back."""

import gpu
from gpu import torch


def main():
    rows = 16 if gpu.DEVICE.stand_in else 64
    model, width, kind = gpu.decoder(width=4096)
    state = torch.rand((rows, width), dtype=kind, device=gpu.DEVICE.name)
    graph = gpu.DEVICE.graph(lambda: model(state))
    for step in gpu.steady():
        for _ in range(8):
            graph.replay()
        if step % 8 == 7:
            gpu.DEVICE.synchronize()
    gpu.finish()


if __name__ == "__main__":
    main()
