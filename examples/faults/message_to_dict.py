"""A gRPC ranker that turns each request into a dictionary with protobuf's MessageToDict, to read the numbers out of it."""

import concurrent.futures
import queue
import subprocess
import sys

import zoo

CLIENT = """
import sys, grpc
request = sys.stdin.buffer.read()
with grpc.insecure_channel("127.0.0.1:" + sys.argv[1]) as channel:
    call = channel.unary_unary("/Ranker/Rank")
    while True:
        call(request)
"""
CANDIDATES, FEATURES = 64, 40


def make_message_class():
    """What protoc makes of: message Value {double number = 1;}  message Row {string key = 1; repeated Value values = 2;}  and a list of rows."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="ranker.proto", package="ranker", syntax="proto3")
    value, row, request = (file.message_type.add(name=name) for name in ("Value", "Row", "Request"))
    value.field.add(name="number", number=1, type=kinds.TYPE_DOUBLE, label=kinds.LABEL_OPTIONAL)
    row.field.add(name="key", number=1, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    row.field.add(name="values", number=2, type=kinds.TYPE_MESSAGE, type_name=".ranker.Value", label=kinds.LABEL_REPEATED)
    request.field.add(name="rows", number=1, type=kinds.TYPE_MESSAGE, type_name=".ranker.Row", label=kinds.LABEL_REPEATED)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("ranker.Request"))


def features_of(request):
    from google.protobuf import json_format

    decoded = json_format.MessageToDict(request, preserving_proto_field_name=True)
    return [[value["number"] for value in row["values"]] for row in decoded["rows"]]


def features_read(request):
    return [[value.number for value in row.values] for row in request.rows]


def main():
    import grpc
    import torch

    torch.set_num_threads(1)
    message, answered, wide = make_message_class(), queue.SimpleQueue(), 2560
    model = torch.nn.Sequential(torch.nn.Linear(FEATURES, wide), torch.nn.ReLU(), torch.nn.Linear(wide, wide), torch.nn.ReLU(),
                                torch.nn.Linear(wide, wide), torch.nn.ReLU(), torch.nn.Linear(wide, 1)).eval()
    plant = zoo.Plant("place", features_of, part="wall",
                      causes=("library.python", "cpu.serialization", "cpu.python", "cpu.native", "cpu.preprocessing"))

    def rank(request, context):
        if zoo.PLANTED:
            with plant:
                rows = features_of(request)
        else:
            rows = features_read(request)
        with torch.inference_mode():
            order = model(torch.tensor(rows))[:, 0].argsort(descending=True)
        answered.put(1)
        return order.to(torch.int32).numpy().tobytes()

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(1))
    method = grpc.unary_unary_rpc_method_handler(rank, request_deserializer=message.FromString)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Ranker", {"Rank": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    rows = [{"key": "item-%d" % i, "values": [{"number": 0.25 + (i * 7 + j) % 13} for j in range(FEATURES)]} for i in range(CANDIDATES)]
    client = subprocess.Popen([sys.executable, "-c", CLIENT, str(port)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    client.stdin.write(message(rows=rows).SerializeToString())
    client.stdin.close()
    for _ in zoo.steady():
        answered.get()
    client.kill()
    client.wait()
    server.stop(None)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
