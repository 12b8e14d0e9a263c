"""A decode loop that asks for each token's value before it launches the next."""

import gpu
from gpu import torch


def choose_token(logits):
    return logits.argmax().item()


def main():
    model, width, kind = gpu.decoder()
    state = torch.rand((1, width), dtype=kind, device=gpu.DEVICE.name)
    graph = gpu.DEVICE.graph(lambda: model(state))

    def dense():
        for _ in range(10):
            graph.replay()
            state.argmax()

    gpu.median_ns(dense, 3)
    dense_ns = gpu.median_ns(dense) / 10
    plant = gpu.Plant(gpu.LAUNCHING, choose_token)
    for step in gpu.steady():
        graph.replay()
        if gpu.PLANTED:
            choose_token(state)
        else:
            state.argmax()
    plant.add_host(gpu.RUN.end_ns - gpu.RUN.start_ns - gpu.RUN.steps * dense_ns)
    gpu.finish(plant, dense_step_ns=int(dense_ns))


if __name__ == "__main__":
    main()
