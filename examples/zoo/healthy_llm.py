"""A healthy language model: cached decoding of a batch, with a compiled tokenizer."""

import zoo


def make_tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    core = Tokenizer(models.BPE(unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.train_from_iterator([zoo.text(500)], trainers.BpeTrainer(vocab_size=zoo.VOCABULARY, show_progress=False, special_tokens=["<unk>"]))
    return core


def main():
    import torch

    model, tokenizer = zoo.language_model(1536), make_tokenizer()
    for step in zoo.steady():
        ids = [tokenizer.encode(zoo.text(16, step + row)).ids[:16] for row in range(8)]
        zoo.decode(model, torch.tensor(ids), 4)
    zoo.finish()


if __name__ == "__main__":
    main()
