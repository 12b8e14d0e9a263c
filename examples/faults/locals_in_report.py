"""A batch job that reports each text it must skip with the representation of every local variable on the way."""

import zoo

SENT = []


def report(error, locals_too):
    frames, traceback = [], error.__traceback__
    while traceback:
        kept = {name: repr(value)[:100] for name, value in traceback.tb_frame.f_locals.items()} if locals_too else {}
        frames.append((traceback.tb_frame.f_code.co_name, traceback.tb_lineno, kept))
        traceback = traceback.tb_next
    SENT.append((repr(error), frames))
    del SENT[:-20]


def check(text, limits, number):
    if len(text) > limits[number % len(limits)]:
        raise ValueError("text %d is too long" % number)


def score(model, ids, texts, limits):
    seen = []
    for number, text in enumerate(texts):
        try:
            check(text, limits, number)
            seen.append(len(text))
        except ValueError as error:
            with PLANT:
                report(error, zoo.PLANTED)
    return zoo.embed(model, ids + len(seen) % 2)


PLANT = zoo.Plant("place", report, part="wall", causes=("cpu.python", "cpu.native", "library.python"))


def main():
    model, ids = zoo.embedding_model(384), zoo.tokens(8, 32)
    limits = [150 + number % 100 for number in range(60000)]
    for step in zoo.steady():
        score(model, ids, [zoo.text(20 if number % 8 else 60, step + number) for number in range(16)], limits)
    zoo.finish(PLANT)


if __name__ == "__main__":
    main()
