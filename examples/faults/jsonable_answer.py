"""An embedding service whose answers go through FastAPI's jsonable_encoder, which looks at every number of every vector."""

import json

import zoo


def to_response(vectors):
    from fastapi.encoders import jsonable_encoder

    body = {"model": "encoder", "data": [{"index": i, "embedding": vector} for i, vector in enumerate(vectors.tolist())]}
    return json.dumps(jsonable_encoder(body)).encode()


def main():
    from fastapi.encoders import jsonable_encoder  # noqa: F401 - Loaded before the loop.

    model, ids = zoo.embedding_model(384), zoo.tokens(24, 16)
    plant = zoo.Plant("place", to_response, part="wall", causes=("library.python", "cpu.python", "cpu.serialization"))
    for step in zoo.steady():
        vectors = zoo.embed(model, ids)
        with plant:
            if zoo.PLANTED:
                to_response(vectors)
        if not zoo.PLANTED:
            vectors.numpy().tobytes()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
