"""A healthy program: large matrices, launched ahead of the device."""

import gpu
from gpu import torch


def main():
    side = 256 if gpu.DEVICE.stand_in else 8192
    square = torch.rand((side, side), device=gpu.DEVICE.name)
    for step in gpu.steady():
        for _ in range(4):
            square = (square @ square).clamp(0, 1)
        if step % 4 == 3:
            gpu.DEVICE.synchronize()
    gpu.finish()


if __name__ == "__main__":
    main()
