"""Classifies rows with ONNX Runtime in a pool of threads that share one session, as services do.

    python onnxruntime_pool.py                           two threads, a session of one thread: healthy
    python onnxruntime_pool.py --fault reload            each job makes its session
    python onnxruntime_pool.py --fault rows              the rows are prepared number by number, in Python
    python onnxruntime_pool.py --profile                 ONNX Runtime writes its own profile, too
"""

import argparse
import concurrent.futures
import pathlib
import tempfile
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WIDTH, ROWS, LAYERS = 512, 64, 12


def make_model(path):
    """A network of a dozen layers of matrix product and Relu, with random weights."""
    random = numpy.random.default_rng(1)
    weights, nodes, last = [], [], "x"
    for layer in range(LAYERS):
        weights.append(numpy_helper.from_array(random.standard_normal((WIDTH, WIDTH), dtype=numpy.float32) / 22, "w%d" % layer))
        nodes += [helper.make_node("MatMul", [last, "w%d" % layer], ["m%d" % layer]), helper.make_node("Relu", ["m%d" % layer], ["y%d" % layer])]
        last = "y%d" % layer
    graph = helper.make_graph(nodes, "layers", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", WIDTH])],
                              [helper.make_tensor_value_info(last, TensorProto.FLOAT, ["n", WIDTH])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def open_session(path, profile=""):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if profile:
        options.enable_profiling, options.profile_file_prefix = True, profile
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def prepare_rows(numbers):
    """Scales each number by itself."""
    rows = numpy.empty((ROWS, WIDTH), numpy.float32)
    for row in range(ROWS):
        for column in range(WIDTH):
            rows[row, column] = (float(numbers[row, column]) - 0.5) * 2
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", choices=("none", "reload", "rows"), default="none")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--profile", default="", help="the beginning of the profile's path")
    options = parser.parse_args()
    path = str(pathlib.Path(tempfile.mkdtemp(), "layers.onnx"))
    make_model(path)
    shared = open_session(path, options.profile)
    random = numpy.random.default_rng(2)

    def job():
        numbers = random.random((ROWS, WIDTH), dtype=numpy.float32)
        rows = prepare_rows(numbers) if options.fault == "rows" else (numbers - 0.5) * 2
        session = open_session(path) if options.fault == "reload" else shared
        return float(session.run(None, {"x": rows})[0].sum())

    jobs, end = 0, time.monotonic() + options.seconds
    with concurrent.futures.ThreadPoolExecutor(options.threads) as pool:
        open_jobs = {pool.submit(job) for _ in range(2 * options.threads)}
        while time.monotonic() < end:
            done, open_jobs = concurrent.futures.wait(open_jobs, return_when=concurrent.futures.FIRST_COMPLETED)
            jobs += len(done)
            open_jobs |= {pool.submit(job) for _ in done}
    if options.profile:
        print(shared.end_profiling())
    print("%d jobs in %.2f s" % (jobs + len(open_jobs), options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
