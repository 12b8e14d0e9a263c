"""The same step as many small launches (planted) or as one CUDA graph."""

import gpu
from gpu import torch


def main():
    model, width, kind = gpu.decoder(width=512, layers=24)
    state = torch.rand((1, width), dtype=kind, device=gpu.DEVICE.name)
    graph = gpu.DEVICE.graph(lambda: model(state))

    def dense():
        for _ in range(10):
            graph.replay()

    gpu.median_ns(dense, 3)
    dense_ns = gpu.median_ns(dense) / 10
    plant = gpu.Plant(gpu.LAUNCHING)
    for step in gpu.steady():
        if gpu.PLANTED:
            model(state)
        else:
            graph.replay()
    plant.add_host(gpu.RUN.end_ns - gpu.RUN.start_ns - gpu.RUN.steps * dense_ns)
    gpu.finish(plant, dense_step_ns=int(dense_ns))


if __name__ == "__main__":
    main()
