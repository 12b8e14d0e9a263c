"""A streaming service on asyncio: for every token it joins, cleans and sends the whole answer so far."""

import asyncio
import json

import zoo


def event(words):
    text = " ".join(words)
    for mark in ".,;:!?":
        text = text.replace(" " + mark, mark)
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return ("data: " + json.dumps({"text": text, "length": len(text.split())}) + "\n\n").encode()


class Service:
    def __init__(self, plant):
        self.model, self.ids, self.plant = zoo.language_model(256), zoo.tokens(1, 8), plant

    def decode(self, ids, past):
        import torch

        with torch.no_grad():
            return self.model(input_ids=ids, past_key_values=past, use_cache=True)

    async def answer(self, reader, writer):
        while await reader.readline():
            words, output = [], await asyncio.to_thread(self.decode, self.ids, None)
            for number in range(48):
                chosen = output.logits[:, -1:].argmax(-1)
                words += [zoo.WORDS[(int(chosen) + i) % len(zoo.WORDS)] for i in range(100)]
                with self.plant:
                    data = event(words) if zoo.PLANTED else b"data: .\n\n"
                writer.write(data)
                await writer.drain()
                output = await asyncio.to_thread(self.decode, chosen, output.past_key_values)
            writer.write(b"end\n")
        writer.close()


async def serve(plant):
    server = await asyncio.start_server(Service(plant).answer, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    for step in zoo.steady():
        writer.write(b"go\n")
        while await reader.readline() != b"end\n":
            pass
    writer.close()
    await writer.wait_closed()
    server.close()
    await asyncio.sleep(0.1)


def main():
    plant = zoo.Plant("place", event, part="wall", causes=("cpu.python", "cpu.serialization"), besides=("framework-dominates",))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
