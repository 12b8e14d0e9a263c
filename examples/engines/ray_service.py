"""Scores texts with Ray Serve, in batches of a replica that has a network of matrix products in NumPy: python ray_service.py --port 8000

    python ray_service.py --fault audit             each request asks another service, with a client that blocks the event loop
    python ray_service.py --fault words             texts are cleaned letter by letter
"""

import argparse
import asyncio
import time

import numpy
import ray
from ray import serve

WIDTH, LAYERS = 512, 24


def clean_text(text):
    """Leaves out what is no letter, by building a string per letter."""
    for _ in range(300):
        cleaned = ""
        for letter in text:
            cleaned = cleaned + letter.lower() if letter.isalpha() or letter == " " else cleaned
    return cleaned


def audit():
    time.sleep(0.05)


@serve.deployment(max_ongoing_requests=16, ray_actor_options={"num_cpus": 0})
class Scores:
    def __init__(self, fault):
        random = numpy.random.default_rng(1)
        self.fault, self.weights = fault, [random.standard_normal((WIDTH, WIDTH), dtype=numpy.float32) / 22 for _ in range(LAYERS)]

    async def __call__(self, request):
        text = (await request.json())["prompt"]
        if self.fault == "audit":
            audit()
        return {"score": await self.score(clean_text(text) if self.fault == "words" else text)}

    @serve.batch(max_batch_size=4, batch_wait_timeout_s=0.002)
    async def score(self, texts):
        return await asyncio.to_thread(self.predict, texts)

    def predict(self, texts):
        rows = [numpy.frombuffer(text.encode()[:WIDTH].ljust(WIDTH), numpy.uint8).astype(numpy.float32) / 128 - 1 for text in texts]
        last = numpy.repeat(numpy.stack(rows), 64, axis=0)
        for weights in self.weights:
            last = last @ weights
            numpy.maximum(last, 0, out=last)
        return [float(score) for score in last[::64].sum(axis=1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--fault", choices=("none", "audit", "words"), default="none")
    options = parser.parse_args()
    ray.init(include_dashboard=False, num_cpus=2, object_store_memory=100_000_000)
    try:
        serve.start(http_options={"host": "127.0.0.1", "port": options.port})
        serve.run(Scores.bind(options.fault), blocking=True)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
