"""A scoring job that logs every row at debug level to a pipe, whose reader ships logs more slowly than they come: the job waits for it."""

import logging
import subprocess
import sys

import zoo

SHIPPER = """
import os, time
while os.read(0, 4096):
    time.sleep(0.005)  # A collector that takes less than a megabyte a second.
"""
ROWS, FIELDS, CLASSES = 96, 64, 24


def log_rows(logger, step, scores):
    for number, row in enumerate(scores):
        logger.debug("batch %d row %d scores %s", step, number, " ".join("%.4f" % score for score in row))


def log_batch(logger, step, scores):
    logger.info("batch %d rows %d highest %.4f", step, len(scores), max(map(max, scores)))


def make_logger(pipe):
    logger, handler = logging.getLogger("scores"), logging.StreamHandler(pipe)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    return logger


def make_model(torch):
    wide = 2048
    return torch.nn.Sequential(torch.nn.Linear(FIELDS, wide), torch.nn.ReLU(), torch.nn.Linear(wide, wide), torch.nn.ReLU(),
                               torch.nn.Linear(wide, wide), torch.nn.ReLU(), torch.nn.Linear(wide, CLASSES), torch.nn.Softmax(1)).eval()


def main():
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    plant = zoo.Plant("place", log_rows, part="wall",
                      causes=("wait.io", "wait.unknown", "wait.child-process", "wait.socket", "library.python", "cpu.python", "system.file-io",
                              "system.other"))
    shipper = subprocess.Popen([sys.executable, "-S", "-c", SHIPPER], stdin=subprocess.PIPE, text=True)
    logger, model, rows = make_logger(shipper.stdin), make_model(torch), torch.rand(ROWS, FIELDS)
    for step in zoo.steady():
        with torch.inference_mode():
            scores = model(rows).tolist()
        if zoo.PLANTED:
            with plant:
                log_rows(logger, step, scores)
        else:
            log_batch(logger, step, scores)
    shipper.stdin.close()
    shipper.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
