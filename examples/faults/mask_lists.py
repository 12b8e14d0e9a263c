"""An encoder whose attention mask is built as nested lists, one number at a time, for every batch."""

import zoo


def make_mask(lengths, longest):
    import torch

    mask = []
    for length in lengths:
        rows = []
        for i in range(longest):
            rows.append([1.0 if j <= i and j < length else 0.0 for j in range(longest)])
        mask.append(rows)
    return torch.tensor(mask)[:, -1]


def main():
    import torch

    model, ids = zoo.embedding_model(128), zoo.tokens(4, 96)
    kept = torch.ones(4, 96)
    plant = zoo.Plant("place", make_mask, part="wall", causes=("cpu.python", "cpu.preprocessing"))
    for step in zoo.steady():
        with plant:
            mask = make_mask([96 - (step + i) % 20 for i in range(4)], 96) if zoo.PLANTED else None
        model(input_ids=ids, attention_mask=kept if mask is None else mask)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
