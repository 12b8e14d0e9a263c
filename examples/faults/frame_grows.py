"""A batch job on ONNX Runtime that adds the results of each batch to one DataFrame with concat, which copies all of the rows."""

import os
import tempfile

import zoo


def make_session(folder):
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    random, sizes = np.random.default_rng(0), (256, 512, 512, 8)
    nodes, weights, last = [], [], "input"
    for i, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        weights.append(numpy_helper.from_array((random.random((rows, columns), np.float32) - 0.5) / 16, "weight%d" % i))
        nodes += [helper.make_node("MatMul", [last, "weight%d" % i], ["sum%d" % i]), helper.make_node("Relu", ["sum%d" % i], ["layer%d" % i])]
        last = "layer%d" % i
    graph = helper.make_graph(nodes, "scores", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["rows", sizes[0]])],
                              [helper.make_tensor_value_info(last, TensorProto.FLOAT, ["rows", sizes[-1]])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, os.path.join(folder, "scores.onnx"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(os.path.join(folder, "scores.onnx"), options, providers=["CPUExecutionProvider"])


class Results:
    def __init__(self, keys):
        import pandas

        self.pandas, self.keys, self.rows = pandas, keys, pandas.DataFrame()

    def frame_of(self, scores):
        batch = self.pandas.DataFrame(scores, columns=["class-%d" % i for i in range(scores.shape[1])])
        batch.insert(0, "key", self.keys)
        return batch

    def add(self, batch):
        self.rows = self.pandas.concat([self.rows, batch], ignore_index=True)


def main():
    import numpy as np

    plant = zoo.Plant("place", Results.add, part="wall", causes=("library.python", "cpu.native", "cpu.preprocessing", "cpu.python", "system.page-fault"))
    rows = np.random.default_rng(1).random((256, 256), np.float32)
    keys = ["customer-%d" % i for i in range(len(rows))]
    with tempfile.TemporaryDirectory() as folder:
        session = make_session(folder)
        results, parts = Results(keys), []
        for _ in zoo.steady():
            scores = session.run(None, {"input": rows})[0]
            if zoo.PLANTED:
                batch = results.frame_of(scores)
                with plant:
                    results.add(batch)
            else:
                parts.append(scores)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
