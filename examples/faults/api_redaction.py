"""A FastAPI service that compiles its redaction patterns for every text it scores, because they are too many for re's cache."""

import asyncio
import re

import zoo

PATTERNS = [r"(?i)\b%s[-_ ]?\d{2,6}\b" % word for word in zoo.WORDS] + [r"\b[a-z]{%d}\d+\b" % n for n in range(2, 60)]
COMPILED = [re.compile(pattern) for pattern in PATTERNS]


def redact(text):
    re.purge()  # What more than 512 patterns of an application do to each other.
    for pattern in PATTERNS:
        text = re.sub(pattern, "***", text)
    return text


def make_app(plant):
    import fastapi
    import torch

    model, ids = zoo.embedding_model(256), zoo.tokens(2, 32)
    app = fastapi.FastAPI()

    @app.post("/score")
    async def score(body: dict):
        with plant:
            text = redact(body["text"]) if zoo.PLANTED else body["text"]
        with torch.no_grad():
            vectors = zoo.embed(model, ids)
        return {"length": len(text), "score": float(vectors.mean())}

    return app


async def serve(plant):
    import httpx

    async with httpx.AsyncClient(transport=httpx.ASGITransport(make_app(plant)), base_url="http://service") as client:
        for step in zoo.steady():
            (await client.post("/score", json={"text": zoo.text(400, step)})).raise_for_status()


def main():
    plant = zoo.Plant("place", redact, part="wall", causes=("cpu.python",))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
