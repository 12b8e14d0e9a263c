"""A scorer that reads its thresholds one by one from a dictionary of a multiprocessing.Manager: each is a question to another process."""

import multiprocessing

import zoo

LABELS = ["label-%d" % number for number in range(150)]


def above(thresholds, scores):
    return [label for label, score in zip(LABELS, scores) if score > thresholds[label]]


def main():
    with multiprocessing.get_context("spawn").Manager() as manager:
        shared = manager.dict({label: number / 150 for number, label in enumerate(LABELS)})
        model, ids = zoo.embedding_model(384), zoo.tokens(6, 32)
        plant = zoo.Plant("place", above, part="wall", causes=("wait.socket", "wait.child-process", "library.python", "cpu.python", "cpu.serialization",
                                                               "system.network"))
        for step in zoo.steady():
            scores = zoo.embed(model, ids)[0, :150].tolist()
            if zoo.PLANTED:
                with plant:
                    above(shared, scores)
            else:
                above(shared.copy(), scores)  # dict(shared) asks for each key
        zoo.finish(plant)


if __name__ == "__main__":
    main()
