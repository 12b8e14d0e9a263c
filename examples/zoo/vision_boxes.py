"""A detector whose boxes are made in NumPy, one cell after the other."""

import zoo


def find_boxes(cells):
    import numpy

    boxes = []
    for cell in cells:
        cell = numpy.asarray(cell).astype(numpy.float64)
        score = float(numpy.max(cell[5:]))
        corner = numpy.array([cell[0] - cell[2] / 2, cell[1] - cell[3] / 2])
        size = numpy.clip(cell[2:4], 0, None)
        boxes.append(numpy.concatenate([corner, size, [score]]).tolist())
    return boxes


def main():
    import numpy  # noqa: F401

    model, batch = zoo.vision_model(), zoo.pictures(2)
    plant = zoo.Plant("place", find_boxes, part="wall")
    for step in zoo.steady():
        cells = model(pixel_values=batch).last_hidden_state
        cells = cells.reshape(-1, cells.shape[-1]).repeat(8, 1).numpy()
        with plant:
            if zoo.PLANTED:
                find_boxes(cells)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
