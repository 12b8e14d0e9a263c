"""A device at full load. The truth is the clocks and their reasons that the driver's own tool reports meanwhile; no clock is changed."""

import subprocess

import gpu
from gpu import torch

QUERY = "clocks.sm,clocks.max.sm,power.draw,clocks_throttle_reasons.active"


def ask_driver():
    """A line of nvidia-smi for each device; no lines if nvidia-smi is missing."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=" + QUERY, "--format=csv,noheader,nounits"], capture_output=True, text=True, timeout=20)
        return [[one.strip() for one in line.split(",")] for line in done.stdout.splitlines()] if done.returncode == 0 else []
    except (OSError, subprocess.TimeoutExpired):
        return []


def main():
    side = 256 if gpu.DEVICE.stand_in else 8192
    square = torch.rand((side, side), device=gpu.DEVICE.name)
    told = []
    for step in gpu.steady():
        for _ in range(4):
            square = (square @ square).clamp(0, 1)
        gpu.DEVICE.synchronize()
        if step % 50 == 0:
            told.append(ask_driver())
    gpu.finish(driver=[one for one in told if one])


if __name__ == "__main__":
    main()
