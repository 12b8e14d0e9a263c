"""A server of a language model that waits for requests most of the time."""

import http.server
import os
import socket
import subprocess
import sys

import zoo

CLIENT = """
import sys, time, urllib.request
try:
    while True:
        urllib.request.urlopen("http://127.0.0.1:%s/generate" % sys.argv[1]).read()
        time.sleep(float(sys.argv[2]))
except OSError:
    pass
"""


class Handler(http.server.BaseHTTPRequestHandler):
    model = ids = None

    def do_GET(self):
        answer = str(zoo.decode(self.model, self.ids, 4).tolist()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


def wait_for_request(listener):
    return listener.accept()


def main():
    Handler.model, Handler.ids = zoo.language_model(), zoo.tokens(4, 16)
    plant = zoo.Plant("wait.idle", wait_for_request, "blocked")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        pause = "0.08" if zoo.PLANTED else "0"
        client = subprocess.Popen([sys.executable, "-c", CLIENT, port, pause], env=dict(os.environ))
        for step in zoo.steady():
            queued = zoo.queued_ns(client.pid)
            with plant:
                connection, address = wait_for_request(listener)
            queued -= zoo.queued_ns(client.pid)
            plant.add(queued, -queued)
            with connection:
                Handler(connection, address, None)
    client.kill()
    client.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
