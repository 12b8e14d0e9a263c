"""A client of a feature store that sends head and body of each request apart: Nagle's algorithm holds the body back until the store's delayed
acknowledgement comes."""

import socket
import subprocess
import sys

import zoo

STORE = """
import socket, threading
def answer(connection):
    with connection, connection.makefile("rb") as file:
        while head := file.readline():
            file.read(int(head))
            connection.sendall(b"0.25 0.5 0.75\\n")
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
"""


class Store:
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.file = self.connection.makefile("rb")

    def features(self, body):
        head = b"%d\n" % len(body)
        if zoo.PLANTED:
            self.connection.sendall(head)
            self.connection.sendall(body)
        else:
            self.connection.sendall(head + body)
        return self.file.readline().split()


def main():
    store = subprocess.Popen([sys.executable, "-S", "-c", STORE], stdout=subprocess.PIPE, text=True)
    connected = Store(int(store.stdout.readline()))
    model, ids = zoo.embedding_model(512), zoo.tokens(8, 32)
    plant = zoo.Plant("place", Store.features, part="wall", causes=("wait.socket",))
    for step in zoo.steady():
        with plant:
            connected.features(zoo.text(20, step).encode())
        zoo.embed(model, ids)
    store.terminate()
    store.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
