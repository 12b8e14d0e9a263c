"""A language model that asks a remote service about each token before it sends the token."""

import os
import subprocess
import sys
import urllib.request

import zoo

SERVICE = """
import http.server, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(float(sys.argv[1]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *arguments):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def ask_moderation(port, token):
    request = urllib.request.Request("http://127.0.0.1:%s/check" % port, data=b"%d" % token)
    return urllib.request.urlopen(request, timeout=30).read()


def main():
    os.environ["no_proxy"] = "*"
    model, ids = zoo.language_model(), zoo.tokens(4, 16)
    plant = zoo.Plant("wait.timer", ask_moderation, "blocked", outside="wait.socket")
    service = subprocess.Popen([sys.executable, "-c", SERVICE, "0.06"], stdout=subprocess.PIPE)
    port = service.stdout.readline().decode().strip()
    for step in zoo.steady():
        for token in zoo.decode(model, ids, 4)[0].tolist()[:2]:
            before = zoo.queued_ns(service.pid)
            with plant:
                if zoo.PLANTED:
                    ask_moderation(port, token)
            queued = zoo.queued_ns(service.pid) - before
            plant.add(-queued, queued)
    service.kill()
    service.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
