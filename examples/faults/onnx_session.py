"""A scoring function that opens its ONNX model anew for every call, as code does that was one script once."""

import os
import tempfile

import numpy

import zoo


def write_model(layers=6, width=256):
    from onnx import TensorProto, helper, numpy_helper, save

    random = numpy.random.default_rng(0)
    nodes, weights, last = [], [], "x"
    for i in range(layers):
        weights.append(numpy_helper.from_array(random.standard_normal((width, width), dtype=numpy.float32) / 16, "w%d" % i))
        nodes += [helper.make_node("MatMul", [last, "w%d" % i], ["m%d" % i]), helper.make_node("Relu", ["m%d" % i], ["r%d" % i])]
        last = "r%d" % i
    rows = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", width]) for name in ("x", last)]
    graph = helper.make_graph(nodes, "ranker", rows[:1], rows[1:], weights)
    file = os.path.join(tempfile.mkdtemp(), "ranker.onnx")
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), file)
    return file


def open_model(file):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def main():
    file = write_model()
    kept, rows = open_model(file), numpy.random.default_rng(1).standard_normal((768, 256), dtype=numpy.float32)
    plant = zoo.Plant("place", open_model, part="wall", causes=("framework.compile-load", "cpu.native"))
    for step in zoo.steady():
        session = kept
        with plant:
            if zoo.PLANTED:
                session = open_model(file)
        session.run(None, {"x": rows})
    zoo.finish(plant)


if __name__ == "__main__":
    main()
