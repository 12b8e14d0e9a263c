"""A batcher that waits for eight requests, or for 25 ms, where three clients never send more than three at once."""

import asyncio

import zoo

SIZE, CLIENTS, WINDOW_S = 8, 3, 0.025


async def gather_batch(requests):
    batch = [await requests.get()]
    deadline = asyncio.get_running_loop().time() + WINDOW_S
    while len(batch) < SIZE:
        try:
            batch.append(await asyncio.wait_for(requests.get(), deadline - asyncio.get_running_loop().time()))
        except asyncio.TimeoutError:
            break
    return batch


async def ready_batch(requests):
    batch = [await requests.get()]
    while not requests.empty():
        batch.append(requests.get_nowait())
    return batch


async def client(requests, model_input):
    while True:
        done = asyncio.get_running_loop().create_future()
        await requests.put((model_input, done))
        await done


async def serve(plant):
    import torch

    model, requests = zoo.embedding_model(384), asyncio.Queue()
    clients = [asyncio.create_task(client(requests, zoo.tokens(2, 32, seed))) for seed in range(CLIENTS)]
    for _ in zoo.steady():
        if zoo.PLANTED:
            with plant:
                batch = await gather_batch(requests)
        else:
            batch = await ready_batch(requests)
        with torch.no_grad():
            vectors = zoo.embed(model, torch.cat([ids for ids, _ in batch]))
        for row, (_, done) in zip(vectors, batch):
            done.set_result(float(row.mean()))
        await asyncio.sleep(0)
    for one in clients:
        one.cancel()


def main():
    plant = zoo.Plant("place", gather_batch, part="wall", causes=("wait.timer", "wait.idle"))
    asyncio.run(serve(plant))
    zoo.finish(plant)


if __name__ == "__main__":
    main()
