"""Scores texts with BentoML and a network of matrix products in NumPy: bentoml serve bentoml_service:Scores

What users meet: /checked is an asynchronous method that sleeps with time.sleep; SCORES_FAULT=words cleans texts letter by letter.
"""

import os
import time

import bentoml
import numpy

FAULT, WIDTH, LAYERS = os.environ.get("SCORES_FAULT", ""), 512, 24


def clean_text(text):
    """Leaves out what is no letter, by building a string per letter."""
    for _ in range(900):
        cleaned = ""
        for letter in text:
            cleaned = cleaned + letter.lower() if letter.isalpha() or letter == " " else cleaned
    return cleaned


def audit():
    time.sleep(0.05)


@bentoml.service(workers=1, traffic={"timeout": 60})
class Scores:
    def __init__(self):
        random = numpy.random.default_rng(1)
        self.weights = [random.standard_normal((WIDTH, WIDTH), dtype=numpy.float32) / 22 for _ in range(LAYERS)]

    def compute(self, text):
        row = numpy.frombuffer(text.encode()[:WIDTH].ljust(WIDTH), numpy.uint8).astype(numpy.float32) / 128 - 1
        last = numpy.tile(row, (64, 1))
        for weights in self.weights:
            last = numpy.maximum(last @ weights, 0)
        return float(last[0].sum())

    @bentoml.api
    def score(self, prompt: str, model: str = "tiny") -> dict:
        return {"score": self.compute(clean_text(prompt) if FAULT == "words" else prompt)}

    @bentoml.api
    async def checked(self, prompt: str, model: str = "tiny") -> dict:
        audit()
        return {"score": self.compute(prompt)}
