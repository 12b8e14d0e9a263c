"""A service that makes its tokenizer from the file for every request."""

import json
import os
import tempfile

import zoo


def write_tokenizer():
    words = {"[UNK]": 0}
    for number in range(20000):
        words["w%d" % number] = len(words)
    for word in zoo.WORDS:
        words.setdefault(word, len(words))
    made = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": None, "decoder": None, "model": {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}}
    file = os.path.join(tempfile.mkdtemp(), "tokenizer.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump(made, out)
    return file


def encode(file, text):
    from tokenizers import Tokenizer

    return Tokenizer.from_file(file).encode(text).ids


def main():
    import torch
    from tokenizers import Tokenizer

    file = write_tokenizer()
    kept, model = Tokenizer.from_file(file), zoo.embedding_model(384)
    plant = zoo.Plant("place", encode, part="wall", causes=("cpu.tokenization", "framework.compile-load"))
    for step in zoo.steady():
        with plant:
            if zoo.PLANTED:
                ids = encode(file, zoo.text(32, step))
        if not zoo.PLANTED:
            ids = kept.encode(zoo.text(32, step)).ids
        zoo.embed(model, torch.tensor([ids[:32]] * 6) % zoo.VOCABULARY)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
