"""A FastAPI service that streams a table by a plain generator: Starlette sends each row's turn to a thread and waits for it."""

import asyncio

import zoo


def rows(vectors):
    for number, vector in enumerate(vectors):
        yield "%d,%.6f,%.6f\n" % (number, vector[0], vector[1])


async def rows_at_once(vectors):
    for row in rows(vectors):
        yield row


def make_app(plant):
    import fastapi
    import torch
    from fastapi.responses import StreamingResponse

    model, ids = zoo.embedding_model(384), zoo.tokens(4, 32)
    app = fastapi.FastAPI()

    class Clocked(StreamingResponse):
        async def stream_response(self, send):
            with plant:
                await super().stream_response(send)

    @app.get("/table")
    async def table():
        with torch.no_grad():
            vectors = zoo.embed(model, ids)[0].reshape(-1, 2).tolist()
        return Clocked(rows(vectors) if zoo.PLANTED else rows_at_once(vectors), media_type="text/csv")

    return app


async def serve(plant):
    import httpx

    async with httpx.AsyncClient(transport=httpx.ASGITransport(make_app(plant)), base_url="http://service") as client:
        for step in zoo.steady():
            assert len((await client.get("/table")).text) > 1000


def main():
    plant = zoo.Plant("place", rows, part="wall", also=("stream_response",),
                      causes=("library.python", "cpu.python", "wait.unknown", "wait.lock", "wait.gil", "wait.socket", "wait.idle", "system.network"))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
