"""An asyncio service that reads features of its requests in a pool of one thread, so that four requests wait for each other."""

import asyncio
import concurrent.futures
import time

import zoo


def read_features(number):
    time.sleep(0.006)  # A store that answers after 6 ms.
    return number % 7


async def features_of(pool, numbers):
    loop = asyncio.get_running_loop()
    return await asyncio.gather(*(loop.run_in_executor(pool, read_features, number) for number in numbers))


async def serve(plant):
    model, ids = zoo.embedding_model(512), zoo.tokens(4, 32)
    one, four = (concurrent.futures.ThreadPoolExecutor(count) for count in (1, 4))
    for step in zoo.steady():
        numbers = range(step, step + 4)
        if zoo.PLANTED:
            with plant:
                await features_of(one, numbers)
        else:
            await features_of(four, numbers)
        zoo.embed(model, ids)
    one.shutdown()
    four.shutdown()


def main():
    plant = zoo.Plant("place", features_of, part="wall", causes=("wait.timer", "wait.unknown", "wait.idle"), also=("read_features",),
                      besides=("sleeping", "waiting-for-worker", "costly-place"))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
