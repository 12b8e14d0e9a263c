"""A reranker that asks the document store for each candidate by itself, over one connection of httpx."""

import subprocess
import sys

import zoo

STORE = """
import http.server, json, time
class Documents(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # Head and body leave together.
    def do_GET(self):
        time.sleep(0.003)
        body = json.dumps([{"id": number, "text": "a document " * 20} for number in self.path[1:].split(",")]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Documents)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def fetch_each(client, numbers):
    return [client.get("/%d" % number).json()[0]["text"] for number in numbers]


def fetch_all(client, numbers):
    return [one["text"] for one in client.get("/" + ",".join(map(str, numbers))).json()]


def main():
    import httpx

    store = subprocess.Popen([sys.executable, "-c", STORE], stdout=subprocess.PIPE, text=True)
    model, ids = zoo.embedding_model(512), zoo.tokens(8, 32)
    plant = zoo.Plant("place", fetch_each, part="wall", causes=("wait.socket", "wait.timer", "library.python", "system.network"))
    with httpx.Client(base_url="http://127.0.0.1:%d" % int(store.stdout.readline())) as client:
        for step in zoo.steady():
            if zoo.PLANTED:
                with plant:
                    fetch_each(client, range(step, step + 8))
            else:
                fetch_all(client, range(step, step + 8))
            zoo.embed(model, ids)
    store.terminate()
    store.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
