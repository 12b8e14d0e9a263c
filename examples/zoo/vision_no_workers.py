"""A vision model whose pictures are decoded on the main thread, in Python: a data loader without workers."""

import array
import random

import zoo

SIDE = 224


def encode(seed):
    """A picture as runs of (length, value), as fax machines send it."""
    source, runs, left = random.Random(seed), [], SIDE * SIDE
    while left > 0:
        length = min(left, source.randint(1, 3))
        runs.append((length, source.randint(0, 255)))
        left -= length
    return runs


def decode_image(runs):
    pixels = array.array("f")
    for weight in (77, 150, 29):
        for length, value in runs:
            shade = (value * weight + 128 >> 8) / 127.5 - 1.0
            for _ in range(length):
                pixels.append(shade)
    return pixels


def main():
    import torch

    class Pictures(torch.utils.data.Dataset):
        def __init__(self):
            self.encoded = [encode(seed) for seed in range(8)]
            self.decoded = [to_tensor(decode_image(runs)) for runs in self.encoded]

        def __len__(self):
            return 1 << 30

        def __getitem__(self, index):
            if not zoo.PLANTED:
                return self.decoded[index % 8]
            with plant:
                pixels = decode_image(self.encoded[index % 8])
            return to_tensor(pixels)

    def to_tensor(pixels):
        return torch.frombuffer(pixels, dtype=torch.float32).view(3, SIDE, SIDE)

    def collate(pictures):
        with plant:  # Fresh memory costs more on some machines than on others.
            return torch.stack(pictures)

    model = zoo.vision_model()
    plant = zoo.Plant("cpu.preprocessing", decode_image)
    batches = iter(torch.utils.data.DataLoader(Pictures(), batch_size=4, num_workers=0, collate_fn=collate if zoo.PLANTED else None))
    for step in zoo.steady():
        model(pixel_values=next(batches))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
