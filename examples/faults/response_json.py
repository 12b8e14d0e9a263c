"""An embedding service that checks and rounds every number of its answer before it turns it into JSON."""

import json
import math

import zoo


def plain(value):
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return None if math.isnan(value) or math.isinf(value) else round(value, 7)
    return value


def answer(vectors):
    body = {"object": "list", "data": [{"index": i, "embedding": vector} for i, vector in enumerate(vectors.tolist())]}
    return json.dumps(plain(body), indent=1).encode()


def main():
    model, ids = zoo.embedding_model(), zoo.tokens(48, 4)
    plant = zoo.Plant("place", answer, part="wall", also=("plain",), causes=("cpu.python", "cpu.serialization"))
    for step in zoo.steady():
        vectors = zoo.embed(model, ids)
        with plant:
            if zoo.PLANTED:
                answer(vectors)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
