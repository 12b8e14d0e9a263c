"""An aiohttp service that calls its moderation service without awaiting it: the event loop waits, and with it all clients."""

import asyncio
import subprocess
import sys
import urllib.request

import zoo

MODERATION = """
import http.server, time
class Moderation(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(0.008)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer.request_queue_size = 64
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Moderation)
print(server.server_address[1], flush=True)
server.serve_forever()
"""

CLIENTS = """
import http.client, sys, threading
def client():
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    while True:
        connection.request("POST", "/score", b"the answer to look at")
        connection.getresponse().read()
for _ in range(24):
    threading.Thread(target=client).start()
"""


def is_harmless(address, text):
    with urllib.request.urlopen(address, data=text) as answer:
        return answer.read() == b"ok"


async def serve(plant, address):
    import aiohttp
    from aiohttp import web

    model, ids = zoo.embedding_model(256), zoo.tokens(2, 24)
    answered = asyncio.Queue()

    async def score(request):
        text = await request.read()
        if zoo.PLANTED:
            with plant:
                is_harmless(address, text)
        else:
            async with session.post(address, data=text) as answer:
                await answer.read()
        vectors = zoo.embed(model, ids)
        answered.put_nowait(1)
        return web.json_response({"score": float(vectors.mean())})

    app = web.Application()
    app.router.add_post("/score", score)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    async with aiohttp.ClientSession() as session:
        clients = subprocess.Popen([sys.executable, "-c", CLIENTS, str(runner.addresses[0][1])], stderr=subprocess.DEVNULL)
        for _ in zoo.steady():
            await answered.get()
        clients.kill()
        clients.wait()
        await runner.cleanup()


def main():
    service = subprocess.Popen([sys.executable, "-c", MODERATION], stdout=subprocess.PIPE, text=True)
    plant = zoo.Plant("place", is_harmless, part="wall", causes=("wait.socket", "wait.idle"),
                      besides=("busy-event-loop",))  # The model computes on the loop, which 24 clients keep busy.
    asyncio.run(serve(plant, "http://127.0.0.1:%d/" % int(service.stdout.readline())))
    service.terminate()
    service.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
