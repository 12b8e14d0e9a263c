"""A language model whose loop polls: it sleeps and checks again until the next request is there."""

import threading
import time

import zoo


def poll_for_request(inbox):
    while not inbox:
        time.sleep(0.02)
    return inbox.pop()


def deliver(inbox, pause):
    timer = threading.Timer(pause, inbox.append, (1,))
    timer.daemon = True
    timer.start()


def main():
    model, ids = zoo.language_model(), zoo.tokens(4, 16)
    plant = zoo.Plant("wait.timer", poll_for_request, "blocked")
    inbox = []
    for step in zoo.steady():
        if zoo.PLANTED:
            deliver(inbox, 0.06)
        else:
            inbox.append(1)
        with plant:
            poll_for_request(inbox)
        zoo.decode(model, ids, 4)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
