"""An embedding service that cleans its texts with a pattern that backtracks."""

import re

import zoo

BACKTRACKING = re.compile(r"(\w+\s?)+#")
DIRECT = re.compile(r"[\w\s]*#")


def strip_markup(document, pattern):
    return pattern.sub(" ", document)


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(8, 32)
    plant = zoo.Plant("cpu.python", strip_markup)
    documents = ["a%s b" % ("x" * (14 + step % 2)) for step in range(8)]
    pattern = BACKTRACKING if zoo.PLANTED else DIRECT
    for step in zoo.steady():
        with plant:
            for document in documents:
                strip_markup(document, pattern)
        zoo.embed(model, ids)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
