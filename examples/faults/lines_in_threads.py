"""A service on asyncio that reads its journal of events without blocking the loop: each line is a call in a thread, as aiofiles does it."""

import asyncio
import json
import os
import tempfile

import zoo

EVENTS = 400


def write_journal(path):
    with open(path, "w", encoding="utf-8") as file:
        for number in range(EVENTS):
            file.write(json.dumps({"user": number % 37, "token": 3 + number % 500, "score": number / EVENTS}) + "\n")


async def read_events(path):
    file = await asyncio.to_thread(open, path, encoding="utf-8")
    try:
        events = []
        while line := await asyncio.to_thread(file.readline):
            events.append(json.loads(line))
        return events
    finally:
        await asyncio.to_thread(file.close)


def read_at_once(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


async def serve(path, plant):
    import torch

    model = zoo.embedding_model(512)

    async def client_of(reader, writer):
        while await reader.readline():
            if zoo.PLANTED:
                with plant:
                    events = await read_events(path)
            else:
                events = await asyncio.to_thread(read_at_once, path)
            ids = torch.tensor([event["token"] for event in events[-192:]]).reshape(6, 32)
            writer.write(b"%f\n" % float(zoo.embed(model, ids).mean()))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(client_of, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    for step in zoo.steady():
        writer.write(b"go\n")
        await reader.readline()
    writer.close()
    await writer.wait_closed()
    server.close()
    await asyncio.sleep(0.1)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "journal.jsonl")
        write_journal(path)
        plant = zoo.Plant("place", read_events, part="wall",
                          causes=("library.python", "cpu.python", "cpu.native", "wait.unknown", "wait.lock", "wait.gil", "wait.socket", "wait.idle",
                                  "system.other", "system.process"))
        asyncio.run(serve(path, plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
