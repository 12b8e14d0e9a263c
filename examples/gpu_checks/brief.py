"""Threads that live one after the other, so that each may get the pthread id of the one before it."""

import threading

THREADS, LAUNCHES_OF_ONE = 50, 5


def one_after_the_other(work):
    """Runs ``work``, which launches LAUNCHES_OF_ONE kernels, on one new thread after the other. Returns the kernel's ids of the threads."""
    ids = []

    def run():
        ids.append(threading.get_native_id())
        work()

    for _ in range(THREADS):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    return {"threads": ids, "launches": LAUNCHES_OF_ONE}
