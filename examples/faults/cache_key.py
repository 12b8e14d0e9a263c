"""A cache of embeddings whose key is made of every number of the input, and whose inputs are never the same."""

import hashlib

import zoo

CACHE = {}


def key_of(array):
    return hashlib.sha256(repr(tuple(map(tuple, array.tolist()))).encode()).hexdigest()


def embed_cached(model, features, plant):
    with plant:
        key = key_of(features) if zoo.PLANTED else 0
    if key not in CACHE or not zoo.PLANTED:
        if len(CACHE) > 1000:
            CACHE.clear()
        CACHE[key] = model(features)
    return CACHE[key]


def main():
    import torch

    torch.set_num_threads(1)
    layers = [torch.nn.Linear(256, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 128)]
    model = torch.nn.Sequential(*layers).eval()
    plant = zoo.Plant("place", key_of, part="wall", causes=("cpu.python", "cpu.native", "cpu.serialization"))
    for step in zoo.steady():
        with torch.no_grad():
            embed_cached(model, torch.randn(64, 256), plant)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
