"""A worker that gets features from a store over HTTP with requests.get, which makes a session and a connection for each call."""

import subprocess
import sys

import zoo

STORE = """
import http.server
class Features(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # Head and body leave together.
    def do_GET(self):
        body = b'{"features": [0.25, 0.5, 0.75]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Features)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def get_features(address, users):
    import requests

    return [requests.get("%s/users/%d" % (address, user), timeout=5).json()["features"] for user in users]


def main():
    import requests

    store = subprocess.Popen([sys.executable, "-c", STORE], stdout=subprocess.PIPE, text=True)
    address = "http://127.0.0.1:%d" % int(store.stdout.readline())
    session = requests.Session()
    model, ids = zoo.embedding_model(384), zoo.tokens(4, 32)
    plant = zoo.Plant("place", get_features, part="wall",
                      causes=("library.python", "wait.socket", "system.network", "cpu.python", "cpu.native", "cpu.preprocessing"))
    for step in zoo.steady():
        users = range(step * 6, step * 6 + 6)
        with plant:
            if zoo.PLANTED:
                get_features(address, users)
        if not zoo.PLANTED:
            session.get("%s/users/%d" % (address, users[0]), timeout=5).json()
        zoo.embed(model, ids)
    store.terminate()
    store.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
