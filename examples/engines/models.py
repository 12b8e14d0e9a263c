"""Makes small models with random weights from configurations: nothing is downloaded.

    python models.py llama FOLDER        a Llama of 2 layers with a tokenizer of one token per character
    python models.py large FOLDER        the same with 8 layers of width 1024, 330 MB
    python models.py uncached FOLDER     the same with `use_cache` false, as after a training with checkpoints of gradients
    python models.py bert FOLDER         a BERT with the same tokenizer
    python models.py embedding FOLDER    a BERT of the size that embeds texts: 6 layers of width 384, as all-MiniLM-L6-v2
    python models.py whisper FOLDER      a Whisper of 4 layers in CTranslate2's format; needs only the packages ctranslate2 and tokenizers
    python models.py gguf FOLDER         a Llama of 2 layers in llama.cpp's format, tiny.gguf; needs only the packages gguf and numpy
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


def large(folder):
    llama(folder, layers=8, width=1024)


def uncached(folder):
    llama(folder)
    for name in ("config.json", "generation_config.json"):
        file = pathlib.Path(folder, name)
        file.write_text(json.dumps({**json.loads(file.read_text()), "use_cache": False}))


def bert(folder, layers=2, width=128, inner=256, heads=4, positions=512):
    import transformers

    config = transformers.BertConfig(vocab_size=256, hidden_size=width, intermediate_size=inner, num_hidden_layers=layers,
                                     num_attention_heads=heads, max_position_embeddings=positions)
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer(folder, positions)


def embedding(folder):
    bert(folder, layers=6, width=384, inner=1536, heads=12)


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


def gguf(folder, layers=2, width=128, heads=4, positions=2048):
    """A token per byte, as UTF-8 has them, so that any text is a prompt."""
    import gguf as library
    import numpy

    random, texts, inner = numpy.random.default_rng(1), byte_texts(), 2 * width
    pathlib.Path(folder).mkdir(parents=True)
    writer = library.GGUFWriter(pathlib.Path(folder, "tiny.gguf"), "llama")
    writer.add_block_count(layers)
    writer.add_context_length(positions)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(texts) + 2)
    writer.add_file_type(library.LlamaFileType.MOSTLY_F16)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([*texts, "<s>", "</s>"])
    writer.add_token_types([library.TokenType.NORMAL] * len(texts) + [library.TokenType.CONTROL] * 2)
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(len(texts))
    writer.add_eos_token_id(len(texts) + 1)
    writer.add_chat_template(CHAT)

    def matrix(name, rows, columns):
        numbers = random.standard_normal((rows, columns), dtype=numpy.float32) / columns ** 0.5
        writer.add_tensor(name, numbers.astype(numpy.float16))

    matrix("token_embd.weight", len(texts) + 2, width)
    matrix("output.weight", len(texts) + 2, width)
    writer.add_tensor("output_norm.weight", numpy.ones(width, numpy.float32))
    for layer in range(layers):
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor("blk.%d.%s.weight" % (layer, name), numpy.ones(width, numpy.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix("blk.%d.%s.weight" % (layer, name), width, width)
        for name, rows, columns in (("ffn_gate", inner, width), ("ffn_up", inner, width), ("ffn_down", width, inner)):
            matrix("blk.%d.%s.weight" % (layer, name), rows, columns)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def whisper(folder, layers=4, width=256, heads=4, mels=80):
    """As many tokens as Whisper has, of one character each as far as they are text."""
    import numpy
    import tokenizers
    from ctranslate2.specs import whisper_spec

    special = ("endoftext", "startoftranscript", "en", "transcribe", "translate", "startoflm", "startofprev", "nospeech", "notimestamps")
    texts = [*map(chr, range(32, 288)), *("<|%s|>" % name for name in special), *("<|%.2f|>" % (number * 0.02) for number in range(1501))]
    texts += ["<|other%d|>" % number for number in range(51865 - len(texts))]
    random, spec = numpy.random.default_rng(1), whisper_spec.WhisperSpec(layers, heads, layers, heads)

    def weights(*shape):
        return random.standard_normal(shape, dtype=numpy.float32) / width ** 0.5

    def filled(layer, *shape):
        layer.weight, layer.bias = weights(*shape), numpy.zeros(shape[0], numpy.float32)

    def norm(layer):
        layer.gamma, layer.beta = numpy.ones(width, numpy.float32), numpy.zeros(width, numpy.float32)

    def attention(layer, sizes):
        norm(layer.layer_norm)
        for part, outputs in zip(layer.linear, sizes):
            filled(part, outputs, width)

    filled(spec.encoder.conv1, width, mels, 3)
    filled(spec.encoder.conv2, width, width, 3)
    for side, positions in ((spec.encoder, 1500), (spec.decoder, 448)):
        side.position_encodings.encodings = weights(positions, width)
        norm(side.layer_norm)
        for layer in side.layer:
            attention(layer.self_attention, (3 * width, width))
            if side is spec.decoder:
                attention(layer.attention, (width, 2 * width, width))
            norm(layer.ffn.layer_norm)
            filled(layer.ffn.linear_0, 4 * width, width)
            filled(layer.ffn.linear_1, width, 4 * width)
    spec.decoder.embeddings.weight = spec.decoder.projection.weight = weights(len(texts), width)
    spec.config.suppress_ids, spec.config.suppress_ids_begin = [], []
    spec.config.lang_ids, spec.config.alignment_heads = [texts.index("<|en|>")], [(1, 0)]
    spec.register_vocabulary(texts)
    spec.validate()
    pathlib.Path(folder).mkdir(parents=True)
    spec.save(str(folder))
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({text: number for number, text in enumerate(texts)}, unk_token=" "))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex("."), "isolated")
    words.add_special_tokens(texts[256:])
    words.save(str(pathlib.Path(folder, "tokenizer.json")))


def byte_texts():
    """The characters that stand for bytes in byte-level vocabularies: those that print are themselves."""
    prints = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in prints else next(others)) for byte in range(256)]


if __name__ == "__main__":
    {"llama": llama, "large": large, "uncached": uncached, "bert": bert, "embedding": embedding, "gguf": gguf, "whisper": whisper}[sys.argv[1]](sys.argv[2])
