"""A segmentation service that returns its masks as PNG of the highest compression, in base64."""

import base64
import io

import zoo


def encode_mask(mask):
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(mask).resize((1024, 1024), Image.LANCZOS).save(out, format="PNG", optimize=True, compress_level=9)
    return base64.b64encode(out.getvalue()).decode()


def main():
    import numpy
    import PIL.Image  # noqa: F401 - Loaded before the loop.

    model, batch = zoo.vision_model(384), zoo.pictures(2)
    masks = [numpy.random.default_rng(i).integers(0, 255, (28, 28), dtype=numpy.uint8) for i in range(8)]
    plant = zoo.Plant("place", encode_mask, part="wall", causes=("cpu.serialization", "cpu.native", "cpu.preprocessing"))
    for step in zoo.steady():
        model(pixel_values=batch)
        with plant:
            if zoo.PLANTED:
                encode_mask(masks[step % 8])
    zoo.finish(plant)


if __name__ == "__main__":
    main()
