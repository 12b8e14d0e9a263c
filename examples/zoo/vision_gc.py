"""A vision model whose author collects garbage after every picture."""

import gc

import zoo


def release_memory():
    return gc.collect()


def main():
    model, batch = zoo.vision_model(), zoo.pictures(4)
    plant = zoo.Plant("wait.gc", release_memory)
    for step in zoo.steady():
        model(pixel_values=batch)
        with plant:
            if zoo.PLANTED:
                release_memory()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
