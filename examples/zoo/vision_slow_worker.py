"""A vision model that waits for one slow worker process, which reads and decodes its pictures."""

import multiprocessing
import time

import zoo

SIDE = 224


def decode_image(seed, rounds):
    value, pixels = seed, []
    with zoo.scope("decode_image"):
        for _ in range(SIDE * SIDE * rounds // 4):
            value = value * 1103515245 + 12345 & 0x7FFFFFFF
            pixels.append(value >> 23)
    return bytes(pixels[:SIDE * SIDE // 4])


def fill(queue, rounds):
    seed = 0
    while True:
        seed += 1
        start = zoo.CLOCK.read()
        pixels = decode_image(seed, rounds)
        end = zoo.CLOCK.read()
        queue.put((pixels, (start[0], end[0], end[1] - start[1])))


def main():
    import torch

    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()  # Without a feeder thread, the program waits only for the decoding.
    worker = context.Process(target=fill, args=(queue, 120 if zoo.PLANTED else 1), daemon=True)
    worker.start()
    model = zoo.vision_model()
    plant = zoo.Plant("cpu.preprocessing", decode_image)
    waits, worked = [], []
    for step in zoo.steady():
        begin = time.perf_counter_ns()
        pixels, work = queue.get()
        waits.append((begin, time.perf_counter_ns()))
        worked.append(work)
        picture = torch.frombuffer(bytearray(pixels), dtype=torch.uint8).view(1, 1, SIDE // 2, SIDE // 2)
        batch = torch.nn.functional.interpolate(picture.float() / 255, size=SIDE).expand(2, 3, -1, -1)
        model(pixel_values=batch)
    plant.add_waits(waits, worked)
    worker.kill()
    worker.join()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
