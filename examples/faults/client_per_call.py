"""An agent that makes a new HTTP client for every call of its tool: each one reads all certificates again."""

import subprocess
import sys

import zoo

SERVER = """
import http.server
class Tool(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # Head and body leave together.
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "11")
        self.end_headers()
        self.wfile.write(b'{"value":1}')
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tool)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def ask_tool(url):
    import httpx

    with httpx.Client() as client:
        return client.get(url).json()["value"]


def main():
    import httpx
    import torch

    server = subprocess.Popen([sys.executable, "-S", "-c", SERVER], stdout=subprocess.PIPE, text=True)
    url = "http://127.0.0.1:%d/" % int(server.stdout.readline())
    model, ids, kept = zoo.embedding_model(512), zoo.tokens(6, 32), httpx.Client(trust_env=False)
    plant = zoo.Plant("place", ask_tool, part="wall", causes=("cpu.native", "library.python", "system.file-io", "framework.compile-load"))
    for step in zoo.steady():
        with torch.no_grad():
            zoo.embed(model, ids)
        with plant:
            if zoo.PLANTED:
                ask_tool(url)
        if not zoo.PLANTED:
            kept.get(url).json()
    server.terminate()
    server.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
