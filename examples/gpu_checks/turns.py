"""Programs that are started together take turns with the part that is timed: no other part, start or report runs beside it.

lab/gpu-check sets GPU_CHECK_TURNS to a folder, GPU_CHECK_TURN to the program's number and GPU_CHECK_RUNS to the count of programs. Files of the
folder say who is ready and who has finished, and how many steps to time. Without these variables nothing waits.
"""

import contextlib
import os
import pathlib
import time

POLL_S, PATIENCE_S = 0.02, 80  # The second ends a wait for a program that was killed.


def wait_until(holds):
    end = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < end:
        time.sleep(POLL_S)


@contextlib.contextmanager
def turn(steps):
    """Yields the number of steps to time: the folder's, else the given one."""
    if "GPU_CHECK_TURNS" not in os.environ:
        yield steps
        return
    folder, number, runs = pathlib.Path(os.environ["GPU_CHECK_TURNS"]), int(os.environ["GPU_CHECK_TURN"]), int(os.environ["GPU_CHECK_RUNS"])
    (folder / ("ready-%d" % number)).touch()
    wait_until(lambda: all((folder / ("ready-%d" % one)).exists() for one in range(runs)))
    wait_until(lambda: number == 0 or (folder / ("done-%d" % (number - 1))).exists())
    chosen = folder / "steps"
    yield int(chosen.read_text(encoding="utf-8")) if chosen.exists() else steps
    if number > 0:  # After the first one the steps are chosen.
        (folder / ("done-%d" % number)).touch()
        wait_until(lambda: (folder / ("done-%d" % (runs - 1))).exists())
