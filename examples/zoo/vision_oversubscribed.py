"""A vision model that computes with eight times as many threads as there are CPUs, as happens in a container that shows all CPUs of a large
machine."""

import os

import zoo


def classify(model, batch):
    return model(pixel_values=batch).last_hidden_state[:, 0]


def main():
    import torch

    model, batch = zoo.vision_model(), zoo.pictures(8)
    cpus = len(os.sched_getaffinity(0))
    torch.set_num_threads(8 * cpus if zoo.PLANTED else 1)
    plant = zoo.Plant("wait.run-queue", classify, "queued", pool=True)
    for step in zoo.steady():
        with plant:
            classify(model, batch)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
