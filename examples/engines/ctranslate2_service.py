"""Translates sentences with CTranslate2, from a pool of threads that share a translator.

    python ctranslate2_service.py                        one translator: healthy
    python ctranslate2_service.py --fault reload         each job opens the model
    python ctranslate2_service.py --fault words          sentences are cleaned letter by letter, in Python
"""

import argparse
import concurrent.futures
import pathlib
import tempfile
import time

import ctranslate2
import numpy
from ctranslate2.specs import transformer_spec

WIDTH, INNER, HEADS, LAYERS, WORDS = 256, 1024, 4, 3, 4000
SENTENCES, LENGTH = 8, 16


def make_model(folder):
    """An encoder and a decoder of three layers, with random weights."""
    random = numpy.random.default_rng(1)
    spec = transformer_spec.TransformerSpec.from_config(LAYERS, HEADS)

    def linear(layer, outputs, inputs):
        layer.weight = random.standard_normal((outputs, inputs), dtype=numpy.float32) / inputs ** 0.5
        layer.bias = numpy.zeros(outputs, numpy.float32)

    def norm(layer):
        layer.gamma, layer.beta = numpy.ones(WIDTH, numpy.float32), numpy.zeros(WIDTH, numpy.float32)

    def attention(layer, sizes):
        norm(layer.layer_norm)
        for part, outputs in zip(layer.linear, sizes):
            linear(part, outputs, WIDTH)

    for side in (spec.encoder, spec.decoder):
        embeddings = side.embeddings if side is spec.decoder else side.embeddings[0]
        embeddings.weight = random.standard_normal((WORDS, WIDTH), dtype=numpy.float32)
        norm(side.layer_norm)
        for layer in side.layer:
            attention(layer.self_attention, (3 * WIDTH, WIDTH))
            if side is spec.decoder:
                attention(layer.attention, (WIDTH, 2 * WIDTH, WIDTH))
            norm(layer.ffn.layer_norm)
            linear(layer.ffn.linear_0, INNER, WIDTH)
            linear(layer.ffn.linear_1, WIDTH, INNER)
    linear(spec.decoder.projection, WORDS, WIDTH)
    words = ["<unk>", "<s>", "</s>", *("word%d" % number for number in range(3, WORDS))]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.validate()
    spec.save(str(folder))


def open_translator(folder):
    return ctranslate2.Translator(str(folder), device="cpu", inter_threads=1, intra_threads=1)


def clean_words(sentence):
    """Leaves out what is no letter or digit, by building a string per letter."""
    for _ in range(200):
        cleaned = ""
        for letter in sentence:
            cleaned = cleaned + letter.lower() if letter.isalnum() or letter == " " else cleaned
    return cleaned.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", choices=("none", "reload", "words"), default="none")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_model(folder)
        shared, random = open_translator(folder), numpy.random.default_rng(2)

        def job():
            sentences = [" ".join("word%d" % number for number in random.integers(3, WORDS, LENGTH)) for _ in range(SENTENCES)]
            words = [clean_words(one) if options.fault == "words" else one.split() for one in sentences]
            translator = open_translator(folder) if options.fault == "reload" else shared
            size = 1 if options.fault == "reload" else LENGTH
            return len(translator.translate_batch(words, beam_size=1, max_decoding_length=size, min_decoding_length=size))

        sentences, end = 0, time.monotonic() + options.seconds
        with concurrent.futures.ThreadPoolExecutor(options.threads) as pool:
            open_jobs = {pool.submit(job) for _ in range(2 * options.threads)}
            while time.monotonic() < end:
                done, open_jobs = concurrent.futures.wait(open_jobs, return_when=concurrent.futures.FIRST_COMPLETED)
                sentences += sum(one.result() for one in done)
                open_jobs |= {pool.submit(job) for _ in done}
    print("%d sentences in %.2f s" % (sentences + sum(one.result() for one in open_jobs), options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
