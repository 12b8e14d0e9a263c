"""A worker that asks a feature store again after a fixed pause when it says 503, though the store would answer at once."""

import subprocess
import sys
import time

import zoo

STORE = """
import http.server
class Features(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # Head and body leave together.
    asked = 0
    def do_GET(self):
        Features.asked += 1
        status = 503 if self.path == "/busy" and Features.asked % 2 else 200
        body = b'{"features": [0.25, 0.5, 0.75]}'
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Features)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def with_retries(session, url):
    for _ in range(5):
        answer = session.get(url, timeout=5)
        if answer.status_code == 200:
            return answer.json()
        time.sleep(0.03)
    raise ConnectionError(url)


def main():
    import requests

    store = subprocess.Popen([sys.executable, "-c", STORE], stdout=subprocess.PIPE, text=True)
    address = "http://127.0.0.1:%d" % int(store.stdout.readline())
    session = requests.Session()
    model, ids = zoo.embedding_model(384), zoo.tokens(4, 32)
    plant = zoo.Plant("place", with_retries, part="wall", causes=("wait.timer",))
    for _ in zoo.steady():
        if zoo.PLANTED:
            with plant:
                with_retries(session, address + "/busy")
        else:
            with_retries(session, address + "/")
        zoo.embed(model, ids)
    store.terminate()
    store.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
