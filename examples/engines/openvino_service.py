"""Classifies rows with OpenVINO, by a queue of asynchronous requests.

    python openvino_service.py                        one compiled model: healthy
    python openvino_service.py --fault compile        the model is compiled for each job
    python openvino_service.py --fault rows           the rows are prepared number by number, in Python
"""

import argparse
import time

import numpy
import openvino
from openvino import opset8 as ops

WIDTH, ROWS, LAYERS = 512, 64, 12


def make_model():
    """A network of a dozen layers of matrix product and Relu, with random weights."""
    random = numpy.random.default_rng(1)
    first = last = ops.parameter([ROWS, WIDTH], numpy.float32, name="x")
    for _ in range(LAYERS):
        last = ops.relu(ops.matmul(last, ops.constant(random.standard_normal((WIDTH, WIDTH), dtype=numpy.float32) / 22), False, False))
    return openvino.Model([ops.result(last)], [first], "layers")


def prepare_rows(numbers):
    """Scales each number by itself."""
    rows = numpy.empty((ROWS, WIDTH), numpy.float32)
    for row in range(ROWS):
        for column in range(WIDTH):
            rows[row, column] = (float(numbers[row, column]) - 0.5) * 2
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", choices=("none", "compile", "rows"), default="none")
    parser.add_argument("--seconds", type=float, default=6)
    options = parser.parse_args()
    core, model, random = openvino.Core(), make_model(), numpy.random.default_rng(2)
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": 1}
    compiled, sums, jobs, end = core.compile_model(model, "CPU", settings), [], 0, time.monotonic() + options.seconds
    queue = openvino.AsyncInferQueue(compiled, 2)
    queue.set_callback(lambda request, number: sums.append(float(request.get_output_tensor().data.sum())))
    while time.monotonic() < end:
        numbers = random.random((ROWS, WIDTH), dtype=numpy.float32)
        rows = prepare_rows(numbers) if options.fault == "rows" else (numbers - 0.5) * 2
        if options.fault == "compile":
            sums.append(float(core.compile_model(model, "CPU", settings)([rows])[0].sum()))
        else:
            queue.start_async([rows], jobs)
        jobs += 1
    queue.wait_all()
    print("%d jobs in %.2f s" % (len(sums), options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
