"""A language model whose sampler reads the logits back one by one and chooses the token in Python."""

import math
import random

import zoo


def choose_token(logits, chance):
    weights = []
    for position in range(logits.shape[0]):
        weights.append(math.exp(logits[position].item()))
    limit, total = chance * sum(weights), 0.0
    for position, weight in enumerate(weights):
        total += weight
        if total >= limit:
            return position
    return len(weights) - 1


def main():
    import torch

    model, prompt = zoo.language_model(), zoo.tokens(4, 16)
    plant = zoo.Plant("cpu.python", choose_token)
    source = random.Random(0)
    for step in zoo.steady():
        output = model(input_ids=prompt, use_cache=True)
        for _ in range(4):
            if zoo.PLANTED:
                with plant:
                    rows = [choose_token(row, source.random()) for row in output.logits[:, -1]]
                chosen = torch.tensor(rows).view(-1, 1)
            else:
                chosen = output.logits[:, -1:].softmax(-1)[:, 0].multinomial(1)
            output = model(input_ids=chosen, past_key_values=output.past_key_values, use_cache=True)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
