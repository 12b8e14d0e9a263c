"""An embedding service that hands each document to a pool of one thread and waits for what that makes of it."""

import concurrent.futures
import time
import zlib

import zoo


def preprocess_document(document, rounds):
    """Compressing releases the GIL: the thread that waits does so for the result alone."""
    start = time.perf_counter_ns()
    for _ in range(rounds):
        packed = zlib.compress(document, 9)
    return packed, start, time.perf_counter_ns()


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(8, 32)
    plant = zoo.Plant("cpu.preprocessing", preprocess_document)
    document = zoo.text(40000).encode()
    waits, worked = [], []
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for step in zoo.steady():
            future = pool.submit(preprocess_document, document, 40 if zoo.PLANTED else 1)
            begin = time.perf_counter_ns()
            packed, start, end = future.result()
            waits.append((begin, time.perf_counter_ns()))
            worked.append((start, end))
            zoo.embed(model, ids)
    plant.add(zoo.overlap_ns([wait for wait in waits if wait[0] >= zoo.RUN.steady_start[0]], worked))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
