"""A vector search that normalises its whole corpus again for every query."""

import zoo


def search(corpus, query):
    import numpy

    unit = corpus / numpy.linalg.norm(corpus, axis=1, keepdims=True)
    scores = unit @ (query / numpy.linalg.norm(query))
    return numpy.argsort(scores)[::-1][:10]


def search_normalised(unit, query):
    import numpy

    scores = unit @ (query / numpy.linalg.norm(query))
    return numpy.argpartition(scores, -10)[-10:]


def main():
    import numpy

    model, ids = zoo.embedding_model(384), zoo.tokens(6, 32)
    corpus = numpy.random.default_rng(0).standard_normal((12000, 384), dtype=numpy.float32)
    unit = corpus / numpy.linalg.norm(corpus, axis=1, keepdims=True)
    plant = zoo.Plant("place", search, part="wall", causes=("cpu.native", "system.page-fault", "wait.page-fault"))
    for step in zoo.steady():
        query = zoo.embed(model, ids)[0].numpy()
        with plant:
            if zoo.PLANTED:
                search(corpus, query)
        if not zoo.PLANTED:
            search_normalised(unit, query)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
