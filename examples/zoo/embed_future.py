"""An embedding service that passes each document to a pool of one thread and waits for the result."""

import concurrent.futures
import time
import zlib

import zoo


def preprocess_document(document, rounds):
    """Compressing releases the GIL, so the waiting thread waits only for the result."""
    start = zoo.CLOCK.read()
    with zoo.scope("preprocess"):
        for _ in range(rounds):
            packed = zlib.compress(document, 9)
    end = zoo.CLOCK.read()
    return packed, (start[0], end[0], end[1] - start[1])


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(16, 48)
    plant = zoo.Plant("cpu.preprocessing", preprocess_document)
    document = zoo.text(40000).encode()
    waits, worked = [], []
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for step in zoo.steady():
            future = pool.submit(preprocess_document, document, 160 if zoo.PLANTED else 1)
            begin = time.perf_counter_ns()
            packed, work = future.result()
            waits.append((begin, time.perf_counter_ns()))
            worked.append(work)
            zoo.embed(model, ids)
    plant.add_waits(waits, worked)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
