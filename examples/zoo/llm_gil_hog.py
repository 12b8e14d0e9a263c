"""A language model with another thread that counts in Python and so keeps the GIL."""

import threading
import time

import zoo


def count_metrics(until):
    total = 0
    while time.perf_counter() < until:
        for value in range(2000):
            total += value * value % 7
    return total


def report_metrics(stop):
    while not stop.is_set():
        count_metrics(time.perf_counter() + 0.06)
        time.sleep(0.03)


def main():
    model, ids = zoo.language_model(), zoo.tokens(4, 16)
    plant = zoo.Plant("wait.gil", count_metrics, "blocked")
    stop = threading.Event()
    if zoo.PLANTED:
        threading.Thread(target=report_metrics, args=(stop,), daemon=True).start()
    for step in zoo.steady():
        # The code in this block waits only for the GIL.
        with plant:
            zoo.decode(model, ids, 4)
    stop.set()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
