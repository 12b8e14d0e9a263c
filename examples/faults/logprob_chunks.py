"""A streaming FastAPI endpoint that builds and checks a model of pydantic for each of 200 candidates of each token."""

import asyncio

import zoo


def make_types():
    import pydantic

    class Candidate(pydantic.BaseModel):
        token: str
        logprob: float
        raw: list[int]

    class Chunk(pydantic.BaseModel):
        token: str
        candidates: list[Candidate]

    return Candidate, Chunk


def chunk_of(types, names, logits):
    candidate, chunk = types
    values, places = logits.log_softmax(-1).topk(200)
    candidates = [candidate(token=names[place], logprob=value, raw=list(names[place].encode())) for value, place in
                  zip(values.tolist(), places.tolist())]
    return chunk(token=candidates[0].token, candidates=[one.model_dump() for one in candidates]).model_dump_json()


def make_app(plant):
    import fastapi
    from fastapi.responses import StreamingResponse

    model, prompt, types = zoo.language_model(768), zoo.tokens(1, 32), make_types()
    names = ["token-%d" % i for i in range(zoo.VOCABULARY)]
    app = fastapi.FastAPI()

    @app.post("/generate")
    async def generate():
        async def tokens():
            output = model(input_ids=prompt, use_cache=True)
            for _ in range(16):
                logits = output.logits[0, -1]
                if zoo.PLANTED:
                    with plant:
                        text = chunk_of(types, names, logits)
                else:
                    text = names[int(logits.argmax())]
                yield "data: %s\n\n" % text
                output = model(input_ids=logits.argmax().view(1, 1), past_key_values=output.past_key_values, use_cache=True)

        return StreamingResponse(tokens(), media_type="text/event-stream")

    return app


async def serve(plant):
    import httpx

    async with httpx.AsyncClient(transport=httpx.ASGITransport(make_app(plant)), base_url="http://service") as client:
        for _ in zoo.steady():
            async with client.stream("POST", "/generate") as answer:
                async for _ in answer.aiter_lines():
                    pass


def main():
    plant = zoo.Plant("place", chunk_of, part="wall", causes=("cpu.python", "cpu.serialization", "library.python", "cpu.native"))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
