"""An embedding service whose thread that pushes metrics holds their lock until the collector has answered: requests wait to be counted."""

import json
import queue
import socket
import subprocess
import sys
import threading
import time

import zoo

COLLECTOR = """
import socketserver, time
class Collector(socketserver.StreamRequestHandler):
    def handle(self):
        while self.rfile.readline():
            time.sleep(0.02)
            self.wfile.write(b"ok\\n")
server = socketserver.TCPServer(("127.0.0.1", 0), Collector)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


class Metrics:
    def __init__(self):
        self.lock, self.counts = threading.Lock(), {0.001 * 1.5 ** i: 0 for i in range(16)}

    def observe(self, seconds):
        with self.lock:
            for bound in self.counts:
                self.counts[bound] += seconds <= bound

    def push(self, collector):
        with self.lock:
            send(collector, self.counts)

    def push_copy(self, collector):
        with self.lock:
            counts = dict(self.counts)
        send(collector, counts)


def send(collector, counts):
    collector.sendall(json.dumps(counts).encode() + b"\n")
    collector.recv(16)


def push_at_times(metrics, port, enough):
    collector = socket.create_connection(("127.0.0.1", port))
    while not enough.wait(0.04):
        push = metrics.push if zoo.PLANTED else metrics.push_copy
        push(collector)
    collector.close()


def ask(requests, answers, ids):
    requests.put(ids)
    while answers.get() is not None:
        requests.put(ids)


def main():
    collector = subprocess.Popen([sys.executable, "-c", COLLECTOR], stdout=subprocess.PIPE, text=True)
    model, metrics, enough = zoo.embedding_model(384), Metrics(), threading.Event()
    requests, answers = queue.SimpleQueue(), queue.SimpleQueue()
    plant = zoo.Plant("place", Metrics.push, part="wall", also=("observe", "send"), causes=("wait.lock", "wait.gil", "wait.unknown"))
    threads = [threading.Thread(target=ask, args=(requests, answers, zoo.tokens(4, 24, seed))) for seed in range(2)]
    threads.append(threading.Thread(target=push_at_times, args=(metrics, int(collector.stdout.readline()), enough)))
    for thread in threads:
        thread.start()
    for _ in zoo.steady():
        ids, begin = requests.get(), time.perf_counter()
        vectors = zoo.embed(model, ids)
        with plant:
            metrics.observe(time.perf_counter() - begin)
        answers.put(vectors)
    for _ in range(2):
        answers.put(None)
    enough.set()
    for thread in threads:
        thread.join()
    collector.kill()
    collector.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
