"""An embedding job that lists its cache folder and looks at each file after every vector it stores, to keep the cache below its size."""

import collections
import hashlib
import os
import pathlib
import shutil
import tempfile

import zoo

FILES = 1200


class Cache:
    def __init__(self, size):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.limit = FILES * size
        self.oldest, self.size = collections.deque(), 0
        for number in range(FILES):
            path = self.put("old text %d" % number, bytes(size))
            os.utime(path, (number, number))

    def put(self, text, vector):
        path = self.folder / hashlib.sha256(text.encode()).hexdigest()[:24]
        path.write_bytes(vector)
        self.oldest.append((path, len(vector)))
        self.size += len(vector)
        return path

    def make_room(self):
        files = sorted((path.stat().st_mtime_ns, path.stat().st_size, path) for path in self.folder.iterdir())
        size = sum(size for _, size, _ in files)
        for _, length, path in files:
            if size <= self.limit:
                break
            path.unlink()
            size -= length
            self.forget()

    def make_room_counted(self):
        while self.size > self.limit:
            self.forget().unlink()

    def forget(self):
        path, length = self.oldest.popleft()
        self.size -= length
        return path


def main():
    model, ids = zoo.embedding_model(512), zoo.tokens(4, 32)
    cache = Cache(512 * 4)
    plant = zoo.Plant("place", Cache.make_room, part="wall",
                      causes=("library.python", "cpu.python", "cpu.native", "system.file-io", "system.other", "wait.disk", "wait.io"))
    for step in zoo.steady():
        vector = zoo.embed(model, ids)[0]
        cache.put(zoo.text(12, step) + " %d" % step, vector.numpy().tobytes())
        if zoo.PLANTED:
            with plant:
                cache.make_room()
        else:
            cache.make_room_counted()
    shutil.rmtree(cache.folder)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
