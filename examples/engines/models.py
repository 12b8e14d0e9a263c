"""Makes small models with random weights from configurations: nothing is downloaded.

    python models.py llama FOLDER        a Llama of 2 layers with a tokenizer of one token per character
    python models.py bert FOLDER         a BERT with the same tokenizer
"""

import json
import pathlib
import sys

CHAT = "{% for message in messages %}{{ message['content'] }} {% endfor %}"


def llama(folder, layers=2, width=128, positions=2048):
    import transformers

    config = transformers.LlamaConfig(vocab_size=256, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=layers,
                                      num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=positions,
                                      bos_token_id=None, eos_token_id=1, pad_token_id=0)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer(folder, positions)


def bert(folder, layers=2, width=128, positions=512):
    import transformers

    config = transformers.BertConfig(vocab_size=256, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=layers,
                                     num_attention_heads=4, max_position_embeddings=positions)
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer(folder, positions)


def tokenizer(folder, positions):
    """256 tokens: three special ones, and the first characters that print. The file is that of the library `tokenizers`."""
    characters = [*map(chr, range(32, 127)), *map(chr, range(161, 319))]
    words = {text: number for number, text in enumerate(["<pad>", "</s>", "<unk>", *characters])}
    special = [{"id": number, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
               for number, text in enumerate(("<pad>", "</s>", "<unk>"))]
    folder = pathlib.Path(folder)
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None, "decoder": {"type": "Fuse"},
        "added_tokens": special, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": False},
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "<unk>"}}))
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>",
        "model_max_length": positions, "chat_template": CHAT, "clean_up_tokenization_spaces": False}))


if __name__ == "__main__":
    {"llama": llama, "bert": bert}[sys.argv[1]](sys.argv[2])
