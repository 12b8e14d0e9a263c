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

    async def answer(self, reader, writer):
        while await reader.readline():
            words, output = [], self.model(input_ids=self.ids, use_cache=True)
            for number in range(48):
                chosen = output.logits[:, -1:].argmax(-1)
                words += [zoo.WORDS[(int(chosen) + i) % len(zoo.WORDS)] for i in range(40)]
                with self.plant:
                    data = event(words) if zoo.PLANTED else b"data: .\n\n"
                writer.write(data)
                await writer.drain()
                output = self.model(input_ids=chosen, past_key_values=output.past_key_values, use_cache=True)
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
    plant = zoo.Plant("place", event, part="wall", causes=("cpu.python", "cpu.serialization"))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
