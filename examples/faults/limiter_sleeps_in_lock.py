"""An evaluation on asyncio whose rate limiter sleeps while it holds its lock, so that the calls of a batch wait in a row, far below the limit."""

import asyncio
import subprocess
import sys
import time

import zoo

JUDGE = """
import asyncio
async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(b"%d\\n" % (len(line) % 5))
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
PER_SECOND, BURST, ANSWERS = 300, 16, 5


class Limiter:
    def __init__(self):
        self.lock, self.tokens, self.filled = asyncio.Lock(), BURST, time.monotonic()

    async def pace(self):
        async with self.lock:
            await asyncio.sleep(1 / PER_SECOND)

    async def take(self):
        while True:
            now = time.monotonic()
            self.tokens, self.filled = min(BURST, self.tokens + (now - self.filled) * PER_SECOND), now
            if self.tokens >= 1:
                self.tokens -= 1
                return
            await asyncio.sleep((1 - self.tokens) / PER_SECOND)


async def grade(limiter, connection, answer):
    reader, writer = connection
    if zoo.PLANTED:
        await limiter.pace()
    else:
        await limiter.take()
    writer.write(answer)
    return int(await reader.readline())


async def grade_all(limiter, connections, answers):
    return await asyncio.gather(*(grade(limiter, connection, answer) for connection, answer in zip(connections, answers)))


async def evaluate(port, plant):
    model, ids = zoo.embedding_model(512), zoo.tokens(6, 32)
    connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(ANSWERS)]
    limiter, grades = Limiter(), []
    for step in zoo.steady():
        vectors = zoo.embed(model, ids)
        answers = [b"answer %.4f\n" % mean for mean in vectors[:ANSWERS].mean(1).tolist()]
        if zoo.PLANTED:
            with plant:
                grades += await grade_all(limiter, connections, answers)
        else:
            grades += await grade_all(limiter, connections, answers)
    for _, writer in connections:
        writer.close()


def main():
    judge = subprocess.Popen([sys.executable, "-S", "-c", JUDGE], stdout=subprocess.PIPE, text=True)
    plant = zoo.Plant("place", Limiter.pace, part="wall", also=("grade", "grade_all"),
                      causes=("wait.timer", "wait.idle", "wait.lock", "wait.socket", "wait.unknown"))
    asyncio.run(evaluate(int(judge.stdout.readline()), plant))
    judge.terminate()
    judge.wait()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
