"""A ranking service that opens a gRPC channel to its feature store for every call."""

import subprocess
import sys

import zoo

STORE = """
import concurrent.futures, sys, grpc
def features(request, context):
    return request * 8
handler = grpc.method_handlers_generic_handler("Store", {"Get": grpc.unary_unary_rpc_method_handler(features)})
server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((handler,))
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
server.wait_for_termination()
"""


def get_features(address, users):
    import grpc

    with grpc.insecure_channel(address) as channel:
        return channel.unary_unary("/Store/Get")(b"".join(user.to_bytes(8, "little") for user in users))


def main():
    import grpc
    import torch

    store = subprocess.Popen([sys.executable, "-c", STORE], stdout=subprocess.PIPE, text=True)
    address = "127.0.0.1:%d" % int(store.stdout.readline())
    kept = grpc.insecure_channel(address).unary_unary("/Store/Get")
    model, ids = zoo.embedding_model(384), zoo.tokens(4, 16)
    plant = zoo.Plant("place", get_features, part="wall", causes=("cpu.native", "wait.socket", "wait.unknown", "library.python", "system.network"))
    for step in zoo.steady():
        with plant:
            if zoo.PLANTED:
                get_features(address, range(step, step + 64))
        if not zoo.PLANTED:
            kept(b"".join(user.to_bytes(8, "little") for user in range(step, step + 64)))
        with torch.no_grad():
            zoo.embed(model, ids)
    store.terminate()
    store.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
