"""Nucleus sampling that sorts the whole vocabulary as a list of Python for each token."""

import random

import zoo


def sample(logits, share=0.9):
    chosen = []
    for row in logits.softmax(-1).tolist():
        ranked = sorted(enumerate(row), key=lambda pair: pair[1], reverse=True)
        total, nucleus = 0.0, []
        for token, probability in ranked:
            total += probability
            nucleus.append((token, probability))
            if total >= share:
                break
        chosen.append(random.choices([token for token, _ in nucleus], [probability for _, probability in nucleus])[0])
    return chosen


def main():
    import torch

    model, prompt = zoo.language_model(512), zoo.tokens(4, 24)
    plant = zoo.Plant("place", sample, part="wall", causes=("cpu.python", "cpu.native"))
    for _ in zoo.steady():
        output = model(input_ids=prompt, use_cache=True)
        for _ in range(12):
            logits = output.logits[:, -1]
            if zoo.PLANTED:
                with plant:
                    chosen = torch.tensor(sample(logits)).view(-1, 1)
            else:
                chosen = torch.multinomial(logits.softmax(-1), 1)
            output = model(input_ids=chosen, past_key_values=output.past_key_values, use_cache=True)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
