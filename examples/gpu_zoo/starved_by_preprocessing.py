"""Pictures that are prepared in Python while the device waits."""

import gpu
from gpu import torch


def preprocess_picture(step):
    total = 0
    for pixel in range(40000):
        total = (total * 31 + pixel * step) & 0xFFFF
    return total / 65536


def main():
    rows = 64 if gpu.DEVICE.stand_in else 4096
    model, width, kind = gpu.decoder(layers=4)
    batch = torch.rand((rows, width), dtype=kind, device=gpu.DEVICE.name)
    plant = gpu.Plant(["cpu.preprocessing", "cpu.python"], preprocess_picture)
    for step in gpu.steady():
        if gpu.PLANTED:
            gpu.DEVICE.synchronize()
            preprocess_picture(step)
        plant.work_begins()
        model(batch)
        plant.work_ends()
    gpu.finish(plant)


if __name__ == "__main__":
    main()
