"""A decoder that logs the scores of every token: the text of a tensor is made even for a file that nobody reads."""

import logging
import os
import tempfile

import zoo

log = logging.getLogger("decoder")


def log_token(number, logits):
    top = logits.topk(5)
    log.info("token %d: best %s, scores %s, mean %.4f", number, top.indices, top.values, logits.mean())


def decode(model, ids, plant):
    import torch

    output = model(input_ids=ids, use_cache=True)
    for number in range(8):
        logits = output.logits[0, -1]
        with plant:
            if zoo.PLANTED:
                log_token(number, logits)
        chosen = logits.argmax().view(1, 1)
        with torch.no_grad():
            output = model(input_ids=chosen, past_key_values=output.past_key_values, use_cache=True)


def main():
    logging.basicConfig(filename=os.path.join(tempfile.mkdtemp(), "decoder.log"), level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    model, ids = zoo.language_model(256), zoo.tokens(1, 16)
    plant = zoo.Plant("place", log_token, part="wall", besides=("framework-dominates",),
                      causes=("cpu.python", "library.python", "framework.python", "framework.dispatch", "cpu.model-compute"))
    for step in zoo.steady():
        decode(model, ids, plant)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
