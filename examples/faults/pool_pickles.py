"""Preprocessing in a pool of processes, to which each task takes the whole vocabulary along."""

import concurrent.futures

import zoo


def count_known(vocabulary, text):
    return [vocabulary.get(word, 0) for word in text.split()]


def prepare(pool, vocabulary, texts):
    return [done.result() for done in [pool.submit(count_known, vocabulary, text) for text in texts]]


def main():
    model, ids = zoo.embedding_model(512), zoo.tokens(6, 32)
    vocabulary = {"word-%d" % i: i for i in range(30000)}
    plant = zoo.Plant("place", prepare, part="wall", causes=("cpu.serialization", "wait.gil", "wait.child-process", "wait.unknown", "wait.lock"))
    texts = [zoo.text(30, i) for i in range(2)]
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        pool.submit(count_known, {}, "").result()
        for step in zoo.steady():
            with plant:
                if zoo.PLANTED:
                    prepare(pool, vocabulary, texts)
            if not zoo.PLANTED:
                for text in texts:
                    count_known(vocabulary, text)
            zoo.embed(model, ids)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
