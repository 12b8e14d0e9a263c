"""A language model whose tokenizer is pure Python and merges pairs one at a time."""

import zoo


def make_ranks():
    joined = {}
    for word in zoo.WORDS:
        for size in range(2, len(word) + 1):
            joined.setdefault(word[:size], len(joined))
    return joined


def tokenize(document, ranks):
    ids = []
    with zoo.scope("tokenize"):
        for word in document.split():
            pieces = list(word)
            while len(pieces) > 1:
                best = min(range(len(pieces) - 1), key=lambda i: ranks.get(pieces[i] + pieces[i + 1], 1 << 30))
                if pieces[best] + pieces[best + 1] not in ranks:
                    break
                pieces[best:best + 2] = [pieces[best] + pieces[best + 1]]
            ids.extend(ranks.get(piece, ord(piece[0])) % zoo.VOCABULARY for piece in pieces)
    return ids


def main():
    import torch

    model, ranks = zoo.language_model(), make_ranks()
    document = zoo.text(8000 if zoo.PLANTED else 16)
    plant = zoo.Plant("cpu.tokenization", tokenize)
    for step in zoo.steady():
        with plant:
            ids = tokenize(document, ranks)
        zoo.decode(model, torch.tensor([ids[:16]] * 4), 4)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
