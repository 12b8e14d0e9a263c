"""An embedding service in which another thread rebuilds the index and meanwhile holds the lock that each look-up needs."""

import hashlib
import threading
import time

import zoo

LOCK = threading.Lock()


def rebuild_index(block, digests):
    """Hashing releases the GIL, so other threads wait only for the lock."""
    with LOCK:
        for position in range(len(digests)):
            digests[position] = hashlib.sha256(block).digest()


def keep_rebuilding(stop):
    block, digests = bytes(4 << 20), [b""] * 40
    while not stop.is_set():
        rebuild_index(block, digests)
        time.sleep(0.03)


def look_up(cache, key):
    with LOCK:
        return cache.get(key)


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(8, 32)
    plant = zoo.Plant("wait.lock", rebuild_index, "blocked")
    stop, cache = threading.Event(), {}
    if zoo.PLANTED:
        threading.Thread(target=keep_rebuilding, args=(stop,), daemon=True).start()
    for step in zoo.steady():
        with plant:
            look_up(cache, step)
        cache[step % 100] = zoo.embed(model, ids)
    stop.set()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
