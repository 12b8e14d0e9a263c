"""An embedding service that rounds, measures and stores its vectors number by number, as JSON."""

import json

import zoo

STORE = {}


def store_vectors(step, vectors):
    for number, vector in enumerate(vectors):
        values = [round(float(value), 6) for value in vector]
        norm = sum(value * value for value in values) ** 0.5
        STORE[number] = json.dumps({"id": "%d-%d" % (step, number), "norm": norm, "vector": values})
        assert len(json.loads(STORE[number])["vector"]) == len(values)


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(16, 12)
    plant = zoo.Plant("place", store_vectors, part="wall")
    for step in zoo.steady():
        vectors = zoo.embed(model, ids)
        with plant:
            if zoo.PLANTED:
                store_vectors(step, vectors)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
