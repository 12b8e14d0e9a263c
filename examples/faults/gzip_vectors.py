"""A Tornado service that compresses the vectors of all tokens, which hardly shrink, with gzip's highest level for a client on the same host."""

import asyncio
import gzip
import subprocess
import sys

import zoo

CLIENT = """
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
while True:
    connection.request("POST", "/embed", b"texts", {"Accept-Encoding": "gzip"})
    connection.getresponse().read()
"""


def compressed(body):
    return gzip.compress(body, compresslevel=9)


async def serve(plant):
    import tornado.httpserver
    import tornado.netutil
    import tornado.web

    model, ids = zoo.embedding_model(256), zoo.tokens(8, 32)
    answered = asyncio.Queue()

    class Embed(tornado.web.RequestHandler):
        def post(self):
            body = model(input_ids=ids).last_hidden_state.numpy().tobytes()
            if zoo.PLANTED:
                with plant:
                    body = compressed(body)
                self.set_header("Content-Encoding", "gzip")
            self.set_header("Content-Type", "application/octet-stream")
            self.write(body)
            answered.put_nowait(1)

    sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
    server = tornado.httpserver.HTTPServer(tornado.web.Application([("/embed", Embed)], log_function=lambda handler: None))
    server.add_sockets(sockets)
    client = subprocess.Popen([sys.executable, "-c", CLIENT, str(sockets[0].getsockname()[1])], stderr=subprocess.DEVNULL)
    for _ in zoo.steady():
        await answered.get()
    client.kill()
    client.wait()
    server.stop()


def main():
    plant = zoo.Plant("place", compressed, part="wall", causes=("cpu.serialization", "cpu.native", "cpu.preprocessing", "library.python"))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
