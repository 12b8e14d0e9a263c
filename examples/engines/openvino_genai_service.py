"""Generates with OpenVINO GenAI from a model in llama.cpp's format, and takes the pieces of the text as they come.

    python openvino_genai_service.py FILE.gguf                        one pipeline: healthy
    python openvino_genai_service.py FILE.gguf --fault reload         each job makes its pipeline
    python openvino_genai_service.py FILE.gguf --fault reader         whoever takes the pieces checks all text so far, letter by letter

Prompts are numbers of tokens: the tokenizer that OpenVINO GenAI makes of a vocabulary of bytes encodes nothing.
"""

import argparse
import time

import numpy
import openvino
import openvino_genai

PROMPT, TOKENS = 200, 48


def open_pipeline(path):
    return openvino_genai.LLMPipeline(path, "CPU", INFERENCE_NUM_THREADS=1)


def check_text(text):
    """Counts letters in a slow way."""
    return sum(1 for _ in range(400) for letter in text if letter.isalpha())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--fault", choices=("none", "reload", "reader"), default="none")
    parser.add_argument("--seconds", type=float, default=6)
    options = parser.parse_args()
    shared, random, texts = open_pipeline(options.model), numpy.random.default_rng(2), []
    settings = openvino_genai.GenerationConfig()
    settings.max_new_tokens, settings.ignore_eos = TOKENS, True

    def take(piece):
        texts.append(piece)
        if options.fault == "reader":
            check_text("".join(texts))
        return openvino_genai.StreamingStatus.RUNNING

    tokens, end = 0, time.monotonic() + options.seconds
    while time.monotonic() < end:
        texts.clear()
        pipeline = open_pipeline(options.model) if options.fault == "reload" else shared
        answer = pipeline.generate(openvino.Tensor(random.integers(10, 200, (1, PROMPT))), settings, take)
        tokens += len(answer.tokens[0])
    print("%d tokens in %.2f s" % (tokens, options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
