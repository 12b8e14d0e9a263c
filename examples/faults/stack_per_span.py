"""An evaluation whose tracing asks inspect.stack() who opened each span."""

import inspect
import time

import zoo

SPANS = []


class Span:
    def __init__(self, name):
        self.name, self.caller, self.begin = name, caller() if zoo.PLANTED else "", time.perf_counter_ns()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        SPANS.append((self.name, self.caller, time.perf_counter_ns() - self.begin))
        del SPANS[:-1000]


def caller():
    with PLANT:
        frame = inspect.stack()[2]
        return "%s() [%s:%d]" % (frame.function, frame.filename, frame.lineno)


def score(model, ids, text):
    with Span("score"):
        with Span("prompt"):
            words = text.split()
        with Span("generate"):
            vectors = zoo.embed(model, ids)
        with Span("grade"):
            return float(vectors.mean()) * len(words)


def evaluate(model, ids, step):
    with Span("sample"):
        return [score(model, ids, zoo.text(20, step + epoch)) for epoch in range(2)]


PLANT = zoo.Plant("place", caller, part="wall", causes=("cpu.python", "library.python", "system.file-io", "cpu.native"))


def main():
    model, ids = zoo.embedding_model(256), zoo.tokens(2, 16)
    for step in zoo.steady():
        evaluate(model, ids, step)
    zoo.finish(PLANT)


if __name__ == "__main__":
    main()
