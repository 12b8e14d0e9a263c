"""A healthy streaming server: every token of a batch goes out at once, over a socket whose reader keeps up."""

import socket
import subprocess
import sys

import zoo

READER = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    while connection.recv(65536):
        pass
"""


def main():
    model, ids = zoo.language_model(1536), zoo.tokens(8, 16)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        reader = subprocess.Popen([sys.executable, "-c", READER, str(listener.getsockname()[1])])
        connection, _ = listener.accept()
        with connection:
            for step in zoo.steady():
                output = model(input_ids=ids, use_cache=True)
                for _ in range(4):
                    chosen = output.logits[:, -1:].argmax(-1)
                    connection.sendall(b"data: %s\n\n" % str(chosen.flatten().tolist()).encode())
                    output = model(input_ids=chosen, past_key_values=output.past_key_values, use_cache=True)
        reader.wait()
    zoo.finish()


if __name__ == "__main__":
    main()
