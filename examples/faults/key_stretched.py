"""A FastAPI service that checks the API key of each request with PBKDF2 as if it were a password, although it knows the key from the last request."""

import asyncio
import concurrent.futures
import hashlib
import socket
import subprocess
import sys

import zoo

CLIENT = """
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
while True:
    connection.request("POST", "/embed", b"what is the time", {"X-Api-Key": sys.argv[2]})
    connection.getresponse().read()
"""
KEY = "key-of-tenant-7-2b1f9c"


class Keys:
    def __init__(self):
        self.tenants = {self.stretch("key-of-tenant-%d" % i): i for i in range(3)} | {self.stretch(KEY): 7}
        self.verified = {}

    @staticmethod
    def stretch(key):
        return hashlib.pbkdf2_hmac("sha256", key.encode(), b"tenants", 40000)

    def tenant_of(self, key):
        return self.tenants.get(self.stretch(key))

    def tenant_verified(self, key):
        digest = hashlib.sha256(key.encode()).digest()
        if digest not in self.verified:
            self.verified[digest] = self.tenant_of(key)
        return self.verified[digest]


def make_app(plant, answered):
    import fastapi
    import torch

    model, ids, keys, pool = zoo.embedding_model(512), zoo.tokens(4, 32), Keys(), concurrent.futures.ThreadPoolExecutor(1)
    app = fastapi.FastAPI()

    def score():
        with torch.inference_mode():
            return float(zoo.embed(model, ids).mean())

    @app.post("/embed")
    async def embed(request: fastapi.Request):
        if zoo.PLANTED:
            with plant:
                tenant = keys.tenant_of(request.headers["x-api-key"])
        else:
            tenant = keys.tenant_verified(request.headers["x-api-key"])
        mean = await asyncio.get_running_loop().run_in_executor(pool, score)
        answered.put_nowait(1)
        return {"tenant": tenant, "mean": mean}

    return app


async def serve(plant):
    import uvicorn

    answered = asyncio.Queue()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sets TCP_NODELAY where the protocol is named.
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(plant, answered), lifespan="off", log_level="critical", access_log=False))
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    client = subprocess.Popen([sys.executable, "-c", CLIENT, str(listener.getsockname()[1]), KEY], stderr=subprocess.DEVNULL)
    for _ in zoo.steady():
        await answered.get()
    client.kill()
    client.wait()
    server.should_exit = True
    await serving


def main():
    plant = zoo.Plant("place", Keys.tenant_of, part="wall", also=("stretch",), causes=("cpu.native", "cpu.preprocessing", "library.python"))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
