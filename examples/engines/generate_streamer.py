"""Generates with transformers while a second thread prints the text as it comes.

    python generate_streamer.py MODEL                          healthy
    python generate_streamer.py MODEL --fault cache            the keys and values of earlier tokens are computed again at each step
    python generate_streamer.py MODEL --fault reader           whoever prints checks all text so far, letter by letter
"""

import argparse
import threading
import time

import torch
import transformers


def check_text(text):
    """Counts letters in a slow way."""
    return sum(1 for _ in range(400) for letter in text if letter.isalpha())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--fault", choices=("none", "cache", "reader"), default="none")
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    model = transformers.AutoModelForCausalLM.from_pretrained(options.model).eval()
    inputs = tokenizer(["tell me a story about a tiny model " * 8], return_tensors="pt", return_token_type_ids=False)
    answers, end = 0, time.monotonic() + options.seconds
    while time.monotonic() < end:
        streamer = transformers.TextIteratorStreamer(tokenizer)
        settings = dict(max_new_tokens=48, min_new_tokens=48, do_sample=False, use_cache=options.fault != "cache", streamer=streamer)
        thread = threading.Thread(target=model.generate, kwargs=dict(inputs, **settings))
        thread.start()
        text = ""
        for piece in streamer:
            text += piece
            if options.fault == "reader":
                check_text(text)
        thread.join()
        answers += 1
    print("%d answers in %.2f s" % (answers, options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
