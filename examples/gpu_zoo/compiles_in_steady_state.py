"""A compiled model that meets a new shape every few steps, and is compiled again for it."""

import gpu
from gpu import torch


def run_compiled(compiled, batch):
    return compiled(batch)


def main():
    model, width, kind = gpu.decoder(layers=2)
    if gpu.DEVICE.stand_in:
        seen = set()

        def compiled(batch):
            if batch.shape not in seen:
                seen.add(batch.shape)
                sum(range(200000))
            return model(batch)
    else:
        torch._dynamo.config.cache_size_limit = 10000
        compiled = torch.compile(model, dynamic=False)
    plant = gpu.Plant("framework.compile-load", run_compiled)
    for step in gpu.steady():
        fresh = gpu.PLANTED and step % 4 == 0
        batch = torch.rand((8 + step if fresh else 8, width), dtype=kind, device=gpu.DEVICE.name)
        if fresh:
            with plant.on_host():
                run_compiled(compiled, batch)
        else:
            run_compiled(compiled, batch)
    gpu.finish(plant)


if __name__ == "__main__":
    main()
