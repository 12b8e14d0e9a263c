"""Generates with continuous batching of transformers; a thread of the library runs the steps, the main thread takes the texts.

    python continuous_batching.py MODEL                     healthy: eight prompts are open at once
    python continuous_batching.py MODEL --fault reader      whoever takes a text checks it, letter by letter, before giving the next prompt
    python continuous_batching.py MODEL --fault restart     each group of prompts starts the batching anew
"""

import argparse
import time

import torch
import transformers

AT_ONCE = 8


def check_text(text):
    """Counts letters in a slow way."""
    return sum(1 for _ in range(20000) for letter in text if letter.isalpha())


def start(model):
    """On a CPU the cache is as large as the memory unless its blocks are counted."""
    settings = transformers.GenerationConfig(max_new_tokens=24, do_sample=False, eos_token_id=-1, pad_token_id=0)
    limits = transformers.ContinuousBatchingConfig(num_blocks=64, max_batch_tokens=256)
    manager = model.init_continuous_batching(generation_config=settings, continuous_batching_config=limits)
    manager.start()
    return manager


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--fault", choices=("none", "reader", "restart"), default="none")
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    model = transformers.AutoModelForCausalLM.from_pretrained(options.model).eval()
    prompt = tokenizer("tell me a story about a tiny model")["input_ids"]
    manager, given, taken, end = start(model), 0, 0, time.monotonic() + options.seconds
    while time.monotonic() < end:
        if options.fault == "restart" and given == taken and given:
            manager.stop(block=True)
            manager = start(model)
        while given - taken < AT_ONCE and (options.fault != "restart" or given % AT_ONCE or given == taken):
            manager.add_request(list(prompt) + [given % 200 + 3])
            given += 1
        found = manager.get_result(timeout=1)
        if found is not None and found.is_finished():
            taken += 1
            text = tokenizer.decode(found.generated_tokens)
            if options.fault == "reader":
                check_text(text)
    manager.stop(block=True)
    print("%d answers in %.2f s" % (taken, options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
