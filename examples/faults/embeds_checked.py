"""A worker whose requests carry embeddings as nested lists, which a union of types in pydantic checks number by number."""

import json
import typing

import zoo

ROWS, WIDTH = 24, 512


def make_type():
    import pydantic

    class GenerateRequest(pydantic.BaseModel):
        request_id: str
        input_embeds: typing.Union[list[list[list[float]]], list[list[float]], None] = None
        temperature: float = pydantic.Field(1.0, ge=0)

    return GenerateRequest


def parse_request(kind, body):
    return kind.model_validate(json.loads(body)).input_embeds


def main():
    import torch

    kind, model = make_type(), zoo.embedding_model(WIDTH)
    embeds = torch.rand((ROWS, WIDTH), generator=torch.Generator().manual_seed(1))
    bodies = [json.dumps({"request_id": "r-%d" % number, "input_embeds": (embeds + number).tolist()}) for number in range(8)]
    packed = [(embeds + number).numpy().tobytes() for number in range(8)]
    plant = zoo.Plant("place", parse_request, part="wall", causes=("cpu.serialization", "library.python", "cpu.native", "cpu.python"))
    for step in zoo.steady():
        if zoo.PLANTED:
            with plant:
                values = parse_request(kind, bodies[step % len(bodies)])
            values = torch.tensor(values)
        else:
            values = torch.frombuffer(bytearray(packed[step % len(packed)]), dtype=torch.float32).reshape(ROWS, WIDTH)
        model(inputs_embeds=values.unsqueeze(0)).last_hidden_state.mean(1)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
