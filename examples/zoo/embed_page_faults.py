"""An embedding service whose table lies in a mapped file that does not stay in memory."""

import mmap
import os
import random
import tempfile

import zoo

TABLE_BYTES = 256 << 20


def gather_rows(table, offsets):
    return sum(table[offset] for offset in offsets)


def make_table():
    with tempfile.NamedTemporaryFile(prefix="zoo-table-", delete=False) as file:
        for _ in range(TABLE_BYTES >> 20):
            file.write(os.urandom(1 << 20))
        file.flush()
        os.fsync(file.fileno())
    return file.name


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(8, 32)
    plant = zoo.Plant("wait.page-fault", gather_rows, "blocked")
    source, name = random.Random(0), make_table()
    with open(name, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as table:
        os.unlink(name)
        for step in zoo.steady():
            offsets = [source.randrange(TABLE_BYTES >> 12) << 12 for _ in range(300)]
            with plant:
                gather_rows(table, offsets)
            if zoo.PLANTED:
                with zoo.apart():  # As if other programs took the memory.
                    table.madvise(mmap.MADV_DONTNEED)
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            zoo.embed(model, ids)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
