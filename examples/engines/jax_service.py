"""Runs a small network of JAX on batches of sentences of changing length.

    python jax_service.py                          batches are padded to one of four lengths: healthy
    python jax_service.py --fault shapes           each length is compiled for itself
    python jax_service.py --fault words            words are looked up one by one, in a list
"""

import argparse
import random
import time

import jax
import jax.numpy as jnp

WIDTH, LAYERS, WORDS, BATCH = 256, 6, 2000, 16
VOCABULARY = ["w%d" % number for number in range(WORDS)]
NUMBER = {word: number for number, word in enumerate(VOCABULARY)}


def parameters():
    keys = jax.random.split(jax.random.PRNGKey(0), LAYERS + 1)
    return jax.random.normal(keys[0], (WORDS, WIDTH)), [jax.random.normal(key, (WIDTH, WIDTH)) / 16 for key in keys[1:]]


@jax.jit
def embed(weights, ids):
    table, layers = weights
    x = table[ids]
    for layer in layers:
        x = jax.nn.relu(x @ layer) + x
    return x.mean(axis=1)


def look_up(words):
    """The number of each word, by searching the list."""
    return [VOCABULARY.index(word) for word in words]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", choices=("none", "shapes", "words"), default="none")
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    weights, chance = parameters(), random.Random(1)
    sentences = [[chance.choices(VOCABULARY, k=chance.randrange(8, 256)) for _ in range(BATCH)] for _ in range(64)]
    batches, end = 0, time.monotonic() + options.seconds
    while time.monotonic() < end:
        batch = sentences[batches % len(sentences)]
        longest = max(map(len, batch)) if options.fault != "shapes" else 8 + batches % 248
        length = longest if options.fault == "shapes" else -(-longest // 64) * 64
        ids = [(look_up(words) if options.fault == "words" else [NUMBER[word] for word in words])[:length] for words in batch]
        ids = jnp.array([row + [0] * (length - len(row)) for row in ids])
        embed(weights, ids).block_until_ready()
        batches += 1
    print("%d batches in %.2f s" % (batches, options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
