"""A tagger that asks the encoding for its offsets and words at each token: each time the whole lists are made anew."""

import zoo

TEXTS, WORDS, LABELS = 2, 360, 9


def make_tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = {"[UNK]": 0}
    for word in zoo.WORDS:
        vocabulary.setdefault(word, len(vocabulary))
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def add(spans, label, word, begin, end):
    if spans and spans[-1][:2] == [label, word]:
        spans[-1][3] = end
    else:
        spans.append([label, word, begin, end])


def spans_of(encoding, labels):
    spans = []
    for number, label in enumerate(labels):
        if label:
            begin, end = encoding.offsets[number]
            add(spans, label, encoding.word_ids[number], begin, end)
    return spans


def spans_at_once(encoding, labels):
    spans = []
    for label, word, (begin, end) in zip(labels, encoding.word_ids, encoding.offsets):
        if label:
            add(spans, label, word, begin, end)
    return spans


def main():
    import torch

    tokenizer, model = make_tokenizer(), zoo.embedding_model(256)
    plant = zoo.Plant("place", spans_of, part="wall", causes=("cpu.tokenization", "cpu.native", "cpu.python", "library.python"))
    texts, found = [zoo.text(WORDS, seed) for seed in range(TEXTS)], 0
    for _ in zoo.steady():
        encodings = tokenizer.encode_batch(texts)
        hidden = model(input_ids=torch.tensor([encoding.ids for encoding in encodings])).last_hidden_state
        for encoding, labels in zip(encodings, hidden[:, :, :LABELS].argmax(-1).tolist()):
            if zoo.PLANTED:
                with plant:
                    spans = spans_of(encoding, labels)
            else:
                spans = spans_at_once(encoding, labels)
            found += len(spans)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
