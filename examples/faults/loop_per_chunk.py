"""A proxy on asyncio that streams a model's tokens, and runs its hook for each chunk in a new event loop on a new thread."""

import asyncio
import concurrent.futures
import json

import zoo


def run_async(make):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(make())).result()


async def hook(chunk):
    return dict(chunk, text=chunk["text"].strip())


def process_chunk(line):
    return json.dumps(run_async(lambda: hook(json.loads(line))))


async def process_awaiting(line):
    return json.dumps(await hook(json.loads(line)))


async def answer(model, ids, plant, writer):
    import torch

    with torch.no_grad():
        output = model(input_ids=ids, use_cache=True)
        for number in range(24):
            chosen = output.logits[:, -1:].argmax(-1)
            line = json.dumps({"id": number, "text": " %s" % zoo.WORDS[int(chosen[0]) % len(zoo.WORDS)]})
            if zoo.PLANTED:
                with plant:
                    line = process_chunk(line)
            else:
                line = await process_awaiting(line)
            writer.write(line.encode() + b"\n")
            await writer.drain()
            output = model(input_ids=chosen, past_key_values=output.past_key_values, use_cache=True)
    writer.write(b"end\n")


async def serve(plant):
    model, ids = zoo.language_model(384), zoo.tokens(2, 8)

    async def client_of(reader, writer):
        while await reader.readline():
            await answer(model, ids, plant, writer)
        writer.close()

    server = await asyncio.start_server(client_of, "127.0.0.1", 0)
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
    plant = zoo.Plant("place", process_chunk, part="wall", also=("run_async",),
                      causes=("library.python", "cpu.python", "wait.unknown", "wait.lock", "wait.gil", "system.process", "system.other"),
                      besides=("framework-dominates", "busy-event-loop"))  # drain() lets no other task run: the client waits
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
