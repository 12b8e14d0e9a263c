"""Scores texts with LitServe, whose worker process has a network of matrix products in NumPy: python litserve_service.py --port 8000

    python litserve_service.py --fault words             texts are cleaned letter by letter before the batch
    python litserve_service.py --fault lookup            the worker asks another service for each batch, and waits
"""

import argparse
import time

import litserve
import numpy

WIDTH, LAYERS = 512, 24


def clean_text(text):
    """Leaves out what is no letter, by building a string per letter."""
    for _ in range(300):
        cleaned = ""
        for letter in text:
            cleaned = cleaned + letter.lower() if letter.isalpha() or letter == " " else cleaned
    return cleaned


def look_up():
    time.sleep(0.05)


class Scores(litserve.LitAPI):
    def __init__(self, fault, **settings):
        super().__init__(**settings)
        self.fault = fault

    def setup(self, device):
        random = numpy.random.default_rng(1)
        self.weights = [random.standard_normal((WIDTH, WIDTH), dtype=numpy.float32) / 22 for _ in range(LAYERS)]

    def decode_request(self, request):
        text = clean_text(request["prompt"]) if self.fault == "words" else request["prompt"]
        return numpy.frombuffer(text.encode()[:WIDTH].ljust(WIDTH), numpy.uint8).astype(numpy.float32) / 128 - 1

    def predict(self, rows):
        if self.fault == "lookup":
            look_up()
        last = numpy.repeat(rows, 64, axis=0) if rows.ndim == 2 else numpy.tile(rows, (64, 1))
        for weights in self.weights:
            last = last @ weights
            numpy.maximum(last, 0, out=last)
        return last[::64].sum(axis=1)

    def encode_response(self, output):
        return {"score": float(numpy.sum(output))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--fault", choices=("none", "words", "lookup"), default="none")
    options = parser.parse_args()
    api = Scores(options.fault, max_batch_size=4, batch_timeout=0.002)
    litserve.LitServer(api, accelerator="cpu").run(port=options.port, host="127.0.0.1", log_level="warning", generate_client_file=False)


if __name__ == "__main__":
    main()
