"""An agent on ONNX Runtime whose pattern for tool calls tries all ways to part an answer that was cut off before its last brace."""

import json
import os
import re
import shutil
import tempfile

import zoo

CALL = re.compile(r"Thought:(.*?)\nAction:(.*?)\nInput:(.*?)(\{.*\})\s*$", re.DOTALL)
FIELDS, TOOLS, CALLS = 512, 8, 14


def make_session(folder):
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper, save

    random, sizes, nodes, weights, last = np.random.default_rng(0), (FIELDS, 2048, 2048, TOOLS), [], [], "state"
    for number, shape in enumerate(zip(sizes, sizes[1:])):
        weights.append(numpy_helper.from_array((random.random(shape, np.float32) - 0.5) / 32, "w%d" % number))
        nodes.append(helper.make_node("MatMul", [last, "w%d" % number], ["m%d" % number]))
        nodes.append(helper.make_node("Tanh", ["m%d" % number], ["t%d" % number]))
        last = "t%d" % number
    graph = helper.make_graph(nodes, "tools", [helper.make_tensor_value_info("state", TensorProto.FLOAT, ["rows", FIELDS])],
                              [helper.make_tensor_value_info(last, TensorProto.FLOAT, ["rows", TOOLS])], weights)
    path, options = os.path.join(folder, "tools.onnx"), onnxruntime.SessionOptions()
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def answer_of(seed, is_cut):
    """What the language model wrote: several calls in one answer, the last of which may have met the limit of tokens."""
    calls = ["Thought: %s\nAction: tool-%d\nInput: %s\n" % (zoo.text(8, seed + i), i, json.dumps({"query": zoo.text(5, i)})) for i in range(CALLS)]
    return "".join(calls)[: -8 if is_cut else None]


def parse_call(answer):
    found = CALL.search(answer)
    return found and found.group(2)


def parse_in_steps(answer):
    start = answer.find("\nAction:")
    end = answer.find("\nInput:", start)
    return answer[start + 8:end] if answer.rstrip().endswith("}") and 0 <= start < end else None


def main():
    import numpy as np

    folder = tempfile.mkdtemp()
    session, states = make_session(folder), np.random.default_rng(1).random((96, FIELDS), np.float32)
    answers = [answer_of(seed, seed % 4 != 3) for seed in range(8)]
    plant = zoo.Plant("place", parse_call, part="wall", causes=("cpu.native", "cpu.preprocessing", "library.python", "cpu.python"))
    tools = []
    for step in zoo.steady():
        if zoo.PLANTED:
            with plant:
                call = parse_call(answers[step % 8])
        else:
            call = parse_in_steps(answers[step % 8])
        scores = session.run(None, {"state": states})[0]
        tools.append(call or "tool-%d" % scores.mean(0).argmax())
    shutil.rmtree(folder)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
