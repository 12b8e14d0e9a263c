"""A classifier that asks the tokenizer for its whole vocabulary to look up each of its labels."""

import zoo


def make_tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {"[UNK]": 0, **{"w%d" % number: number for number in range(1, 12000)}}
    for word in zoo.WORDS:
        words.setdefault(word, len(words))
    tokenizer = Tokenizer(models.WordLevel(words, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def label_ids(tokenizer, labels):
    return [tokenizer.get_vocab()[label] for label in labels]


def main():
    import torch

    tokenizer, model = make_tokenizer(), zoo.language_model(512)
    plant = zoo.Plant("place", label_ids, part="wall", causes=("cpu.native", "cpu.tokenization", "cpu.python"))
    for step in zoo.steady():
        ids = torch.tensor([tokenizer.encode(zoo.text(32, step)).ids] * 4) % zoo.VOCABULARY
        logits = model(input_ids=ids).logits[:, -1]
        labels = zoo.WORDS[step % 20:step % 20 + 3]
        if zoo.PLANTED:
            with plant:
                chosen = label_ids(tokenizer, labels)
        else:
            chosen = [tokenizer.token_to_id(label) for label in labels]
        logits[:, [one % zoo.VOCABULARY for one in chosen]].argmax(-1)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
