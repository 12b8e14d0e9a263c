"""A service that keeps the answers of the last requests, and collects garbage after each one to stay small."""

import gc

import zoo


def clean_up(answers):
    while len(answers) > 30:
        answers.pop(0)
    gc.collect()


def main():
    model, ids = zoo.embedding_model(512), zoo.tokens(8, 32)
    answers, plant = [], zoo.Plant("place", clean_up, part="wall", causes=("wait.gc",))
    for step in zoo.steady():
        vectors = zoo.embed(model, ids)
        answers.append([{"id": i, "norm": 0.5, "tags": ["x", i]} for i in range(len(vectors) * 100)])
        with plant:
            if zoo.PLANTED:
                clean_up(answers)
        del answers[:-31]
    zoo.finish(plant)


if __name__ == "__main__":
    main()
