"""A language model that decodes without its key-value cache: each token computes the whole text again."""

import zoo


def decode_without_cache(model, ids, count):
    import torch

    for _ in range(count):
        logits = model(input_ids=ids, use_cache=False).logits
        ids = torch.cat((ids, logits[:, -1:].argmax(-1)), 1)
    return ids


def main():
    model, ids = zoo.language_model(), zoo.tokens(2, 48)
    plant = zoo.Plant("cpu.model-compute", decode_without_cache)
    generate = decode_without_cache if zoo.PLANTED else zoo.decode
    for step in zoo.steady():
        with plant:
            generate(model, ids, 8)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
