"""A retrieval service on asyncio that awaits its documents one after another instead of all at once."""

import asyncio
import subprocess
import sys

import zoo

STORE = """
import asyncio
async def later(number, writer):
    await asyncio.sleep(0.003)
    writer.write(b"document %d\\n" % number)
async def serve(reader, writer):
    while line := await reader.readline():
        asyncio.ensure_future(later(int(line), writer))
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


class Store:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def fetch(self, numbers):
        self.writer.write(b"".join(b"%d\n" % number for number in numbers))
        return [await self.reader.readline() for _ in numbers]


async def gather_documents(store, numbers):
    documents = []
    for number in numbers:
        documents += await store.fetch([number])
    return documents


async def serve(port, plant):
    store = Store(*await asyncio.open_connection("127.0.0.1", port))
    model, ids = zoo.embedding_model(512), zoo.tokens(12, 32)
    for step in zoo.steady():
        numbers = range(step, step + 12)
        with plant:
            if zoo.PLANTED:
                await gather_documents(store, numbers)
        if not zoo.PLANTED:
            await store.fetch(numbers)
        zoo.embed(model, ids)
    store.writer.close()


def main():
    server = subprocess.Popen([sys.executable, "-S", "-c", STORE], stdout=subprocess.PIPE, text=True)
    plant = zoo.Plant("place", gather_documents, part="wall", also=("fetch",), causes=("wait.socket", "wait.idle"))
    asyncio.run(serve(int(server.stdout.readline()), plant))
    server.terminate()
    server.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
