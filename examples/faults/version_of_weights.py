"""A gRPC service that hashes all weights of its model for each answer, to say which version answered."""

import concurrent.futures
import hashlib
import queue
import subprocess
import sys

import zoo

CLIENT = """
import sys, grpc
with grpc.insecure_channel("127.0.0.1:" + sys.argv[1]) as channel:
    call = channel.unary_unary("/Model/Score")
    while True:
        call(b"text")
"""


def version_of(model):
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()


def main():
    import grpc

    model, ids = zoo.embedding_model(384), zoo.tokens(6, 32)
    plant = zoo.Plant("place", version_of, part="wall", causes=("cpu.native", "cpu.python", "library.python", "cpu.preprocessing"))
    answered, kept = queue.SimpleQueue(), version_of(model)

    def score(request, context):
        import torch

        with torch.no_grad():
            vectors = zoo.embed(model, ids)
        version = kept
        if zoo.PLANTED:
            with plant:
                version = version_of(model)
        answered.put(1)
        return ("%.4f %s" % (float(vectors.mean()), version)).encode()

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Model", {"Score": grpc.unary_unary_rpc_method_handler(score)}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    client = subprocess.Popen([sys.executable, "-c", CLIENT, str(port)], stderr=subprocess.DEVNULL)
    for _ in zoo.steady():
        answered.get()
    client.kill()
    client.wait()
    server.stop(None)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
