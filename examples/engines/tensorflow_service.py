"""Runs a small network of TensorFlow on batches of sentences of changing length.

    python tensorflow_service.py                   batches are padded to one of four lengths, the scale is a tensor: healthy
    python tensorflow_service.py --fault scales    the scale of each batch is a number of Python, for which the function is traced
    python tensorflow_service.py --fault shapes    each length is traced for itself
"""

import argparse
import random
import time

import numpy as np
import tensorflow as tf

WIDTH, LAYERS, WORDS, BATCH = 256, 6, 2000, 16
TABLE = tf.Variable(tf.random.normal((WORDS, WIDTH)))
WEIGHTS = [tf.Variable(tf.random.normal((WIDTH, WIDTH)) / 16) for _ in range(LAYERS)]


@tf.function
def embed(ids, scale):
    x = tf.gather(TABLE, ids) * scale
    for weights in WEIGHTS:
        x = tf.nn.relu(tf.tensordot(x, weights, 1)) + x
    return tf.reduce_mean(x, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", choices=("none", "scales", "shapes"), default="none")
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    chance = random.Random(1)
    sentences = [[chance.choices(range(WORDS), k=chance.randrange(8, 256)) for _ in range(BATCH)] for _ in range(64)]
    batches, end = 0, time.monotonic() + options.seconds
    while time.monotonic() < end:
        batch = sentences[batches % len(sentences)]
        length = 8 + batches % 248 if options.fault == "shapes" else -(-max(map(len, batch)) // 64) * 64
        ids = np.zeros((BATCH, length), np.int32)
        for row, words in zip(ids, batch):
            row[:len(words[:length])] = words[:length]
        scale = 1 + batches / 1000
        embed(tf.constant(ids), scale if options.fault == "scales" else tf.constant(scale, tf.float32)).numpy()
        batches += 1
    print("%d batches in %.2f s" % (batches, options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
