"""A chat service that trims its history by halves, and counts the tokens of all that is left each time."""

import zoo

BUDGET = 1500


def make_tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, **{word: number + 1 for number, word in enumerate(sorted(set(zoo.WORDS)))}}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


class Message:
    def __init__(self, text, tokenizer):
        self.text, self.tokens = text, len(tokenizer.encode(text).ids)


def count_tokens(tokenizer, messages):
    return sum(len(tokenizer.encode(message.text).ids) for message in messages)


def trim(tokenizer, messages):
    first, last = 0, len(messages)
    while first < last:
        middle = (first + last) // 2
        if count_tokens(tokenizer, messages[middle:]) <= BUDGET:
            last = middle
        else:
            first = middle + 1
    return messages[first:]


def trim_by_counts(messages):
    left, first = BUDGET, len(messages)
    while first and messages[first - 1].tokens <= left:
        first -= 1
        left -= messages[first].tokens
    return messages[first:]


def main():
    tokenizer, model, ids = make_tokenizer(), zoo.embedding_model(384), zoo.tokens(4, 32)
    messages = [Message(zoo.text(40, number), tokenizer) for number in range(120)]
    plant = zoo.Plant("place", trim, part="wall", also=("count_tokens",), causes=("cpu.tokenization", "cpu.native", "cpu.python"))
    for step in zoo.steady():
        messages = messages[1:] + [Message(zoo.text(40, step), tokenizer)]
        with plant:
            if zoo.PLANTED:
                kept = trim(tokenizer, messages)
        if not zoo.PLANTED:
            kept = trim_by_counts(messages)
        zoo.embed(model, ids + len(kept) % 2)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
