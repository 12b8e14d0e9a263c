"""A healthy vision model: pictures are scaled in one tensor operation and go in batches."""

import zoo


def main():
    import torch

    model = zoo.vision_model(384)
    raw = [torch.randint(0, 256, (4, 3, 224, 224), dtype=torch.uint8) for _ in range(4)]
    for step in zoo.steady():
        model(pixel_values=raw[step % 4].float().div_(127.5).sub_(1.0))
    zoo.finish()


if __name__ == "__main__":
    main()
