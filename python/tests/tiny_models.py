"""Tiny models of real architectures, made from their configurations and saved: what tracing is tested on."""

import json
import pathlib


def decoder(folder, layers=2):
    """A Qwen2 that generates."""
    import transformers

    config = transformers.Qwen2Config(vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=layers,
                                      num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=128)
    return _save(folder, transformers.Qwen2ForCausalLM(config), tokenizer=True)


def encoder(folder):
    """A BERT that classifies."""
    import transformers

    config = transformers.BertConfig(vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                     num_attention_heads=4, max_position_embeddings=128)
    return _save(folder, transformers.BertForSequenceClassification(config), tokenizer=True)


def encoder_decoder(folder):
    """A T5."""
    import transformers

    config = transformers.T5Config(vocab_size=256, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
                                   decoder_start_token_id=0)
    return _save(folder, transformers.T5ForConditionalGeneration(config), tokenizer=True)


def vision(folder):
    """A ViT that classifies."""
    import transformers

    config = transformers.ViTConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                                    image_size=32, patch_size=8)
    return _save(folder, transformers.ViTForImageClassification(config), tokenizer=False)


ALL = {"decoder": decoder, "encoder": encoder, "encoder-decoder": encoder_decoder, "vision": vision}


def _save(folder, model, tokenizer):
    folder = pathlib.Path(folder)
    model.save_pretrained(folder)
    if tokenizer:
        _save_tokenizer(folder)
    return folder


def _save_tokenizer(folder):
    """One token per printable character of ASCII."""
    characters = {"<pad>": 0, "</s>": 1, "<unk>": 2}
    for byte in range(32, 127):
        characters[chr(byte)] = len(characters)
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None, "decoder": None,
        "added_tokens": [{"id": i, "content": text, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for i, text in enumerate(("<pad>", "</s>", "<unk>"))],
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": False},
        "model": {"type": "WordLevel", "vocab": characters, "unk_token": "<unk>"},
    }))
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>",
        "model_max_length": 128}))


if __name__ == "__main__":
    import sys

    for name, make in ALL.items():
        make(pathlib.Path(sys.argv[1], name))
