"""A model that shares its device with a second process. The truth is how much longer a step takes than before the second process began."""

import subprocess
import sys

import gpu
from gpu import torch

OTHER = """\
import sys, torch
device = sys.argv[1]
square = torch.rand((256, 256) if device == "cpu" else (4096, 4096), device=device)
print("ready", flush=True)
while True:
    square = (square @ square).clamp(0, 1)
"""


def main():
    rows = 64 if gpu.DEVICE.stand_in else 4096
    model, width, kind = gpu.decoder(layers=4)
    batch = torch.rand((rows, width), dtype=kind, device=gpu.DEVICE.name)
    gpu.median_ns(lambda: model(batch), 5)
    alone_ns = gpu.median_ns(lambda: model(batch))
    other = None
    if gpu.PLANTED:
        other = subprocess.Popen([sys.executable, "-c", OTHER, gpu.DEVICE.name], stdout=subprocess.PIPE)
        other.stdout.readline()
    for step in gpu.steady():
        model(batch)
        gpu.DEVICE.synchronize()
    if other is not None:
        other.kill()
        other.wait()
    gpu.finish(alone_step_ns=int(alone_ns), shared=gpu.PLANTED)


if __name__ == "__main__":
    main()
