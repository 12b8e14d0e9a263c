"""A language model whose processor of logits, in Python, reads all of them back for every token."""

import zoo


class BannedWords:
    """Lowers the logits of banned words, and of those that were used lately."""

    def __init__(self, banned, plant):
        self.banned, self.plant = frozenset(banned), plant

    def __call__(self, ids, logits):
        with self.plant:
            return lower_logits(self.banned, ids, logits) if zoo.PLANTED else logits


def lower_logits(banned, ids, logits):
    import torch

    rows = logits.tolist()
    for row, used in zip(rows, ids.tolist()):
        recent = set(used[-20:])
        for token, value in enumerate(row):
            if token in banned or token in recent:
                row[token] = value - 5.0
    return torch.tensor(rows)


def main():
    from transformers import LogitsProcessorList

    model, ids = zoo.language_model(256), zoo.tokens(12, 16)
    plant = zoo.Plant("place", lower_logits, part="wall")
    processors = LogitsProcessorList([BannedWords(range(0, zoo.VOCABULARY, 17), plant)])
    for step in zoo.steady():
        model.generate(input_ids=ids, max_new_tokens=8, do_sample=False, pad_token_id=0, logits_processor=processors)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
