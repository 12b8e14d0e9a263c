"""Batches that are copied from pageable memory, with nothing beside the copy."""

import gpu
from gpu import torch


def main():
    rows = 256 if gpu.DEVICE.stand_in else 8192
    model, width, kind = gpu.decoder(layers=2)
    batches = [torch.rand((rows, width), dtype=kind) for _ in range(4)]
    plant = gpu.Plant("copy.h2d")
    if not gpu.PLANTED:
        batches = [batch.to(gpu.DEVICE.name) for batch in batches]
    for step in gpu.steady():
        batch = batches[step % len(batches)]
        if gpu.PLANTED:
            with plant.on_device():
                batch = batch.to(gpu.DEVICE.name)
        model(batch)
    gpu.finish(plant)


if __name__ == "__main__":
    main()
