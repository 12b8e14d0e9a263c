"""A language model that reads the adapter of every request from disk, past the page cache."""

import mmap
import os
import tempfile

import zoo

ADAPTER_BYTES = 128 << 20


def read_adapter(file, memory):
    return os.preadv(file, [memory], 0)


def save_adapter(name):
    with open(name, "wb") as file:
        block = os.urandom(1 << 20)
        for _ in range(ADAPTER_BYTES >> 20):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


def main():
    model, ids = zoo.language_model(), zoo.tokens(4, 16)
    plant = zoo.Plant("wait.io", read_adapter, "blocked")
    with tempfile.NamedTemporaryFile(prefix="zoo-adapter-") as named, mmap.mmap(-1, ADAPTER_BYTES) as memory:
        save_adapter(named.name)
        file = os.open(named.name, os.O_RDONLY | os.O_DIRECT)
        read_adapter(file, memory)
        for step in zoo.steady():
            with plant:
                if zoo.PLANTED:
                    read_adapter(file, memory)
            zoo.decode(model, ids, 4)
        os.close(file)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
