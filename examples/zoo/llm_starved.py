"""A language model that shares its CPU with an archiver that someone started beside it."""

import multiprocessing
import os
import zlib

import zoo


def compress_archive(block):
    return len(zlib.compress(block, 9))


def archive():
    block = os.urandom(1 << 16) * 16
    while True:
        compress_archive(block)


def main():
    model, ids = zoo.language_model(), zoo.tokens(4, 16)
    plant = zoo.Plant("wait.run-queue", compress_archive, "queued")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    others = []
    if zoo.PLANTED:
        others.append(multiprocessing.get_context("spawn").Process(target=archive, daemon=True))
        others[0].start()
    for step in zoo.steady():
        with plant:
            zoo.decode(model, ids, 4)
    for other in others:
        other.kill()
        other.join()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
