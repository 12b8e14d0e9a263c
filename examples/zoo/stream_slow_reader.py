"""A language model that streams its tokens into a pipe whose reader is slow."""

import os
import subprocess
import sys

import zoo

READER = """
import os, sys, time
while True:
    if not os.read(0, 4096):
        break
    time.sleep(float(sys.argv[1]))
"""


def emit_token(pipe, token):
    os.write(pipe, (b"data: {\"token\": %d}\n\n" % token).ljust(4096))


def main():
    model, ids = zoo.language_model(), zoo.tokens(4, 16)
    plant = zoo.Plant("wait.child-process", emit_token, "blocked")
    pause = "0.012" if zoo.PLANTED else "0"
    reader = subprocess.Popen([sys.executable, "-c", READER, pause], stdin=subprocess.PIPE)
    pipe = reader.stdin.fileno()
    for step in zoo.steady():
        for row in zoo.decode(model, ids, 4).tolist():
            for token in row:
                with plant:
                    emit_token(pipe, token)
    reader.stdin.close()
    reader.kill()
    reader.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
