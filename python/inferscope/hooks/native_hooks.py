"""Engines of native code: CTranslate2 4 (also under faster-whisper); llama.cpp by llama-cpp-python 0.3 or xllamacpp.

Methods of pybind11's and Cython's classes can be replaced. xllamacpp loads its model in ``__new__``, which cannot. A
call that returns at once, such as one with ``asynchronous=True``, counts as the time until it returns.

Values: tokens produced (tokenize), tokens read (detokenize).
"""

from .._hook import Hook
from .._same import same_of
from .._spool_format import LOAD, MODEL, SERIALIZATION, TOKENIZATION

_CTRANSLATE2, _LLAMA, _SERVER = "ctranslate2._ext", "llama_cpp.llama", "xllamacpp.xllamacpp"


def _load(module, name):
    return Hook(module, name + ".__init__", name, LOAD, "native.load", when=same_of(1, "model_path"))


def _run(module, path):
    return Hook(module, path, path, MODEL, "native.run")


HOOKS = (
    _load(_CTRANSLATE2, "Translator"),
    _load(_CTRANSLATE2, "Generator"),
    _load(_CTRANSLATE2, "Encoder"),
    _load(_CTRANSLATE2, "Whisper"),
    _run(_CTRANSLATE2, "Translator.translate_batch"),
    _run(_CTRANSLATE2, "Translator.score_batch"),
    _run(_CTRANSLATE2, "Translator.translate_file"),
    _run(_CTRANSLATE2, "Generator.generate_batch"),
    _run(_CTRANSLATE2, "Generator.forward_batch"),
    _run(_CTRANSLATE2, "Generator.score_batch"),
    _run(_CTRANSLATE2, "Encoder.forward_batch"),
    _run(_CTRANSLATE2, "Whisper.encode"),
    _run(_CTRANSLATE2, "Whisper.generate"),
    _run(_CTRANSLATE2, "Whisper.detect_language"),
    _run(_CTRANSLATE2, "Whisper.align"),
    _load(_LLAMA, "Llama"),
    _run(_LLAMA, "Llama.eval"),
    _run(_LLAMA, "Llama.sample"),
    _run(_LLAMA, "Llama.embed"),
    Hook(_LLAMA, "Llama.tokenize", "tokenize", TOKENIZATION, "tokenize", lambda result, args, kwargs: len(result)),
    Hook(_LLAMA, "Llama.detokenize", "detokenize", SERIALIZATION, "detokenize",
         lambda result, args, kwargs: len(args[1] if len(args) > 1 else kwargs["tokens"])),
    _run(_SERVER, "Server.handle_completions"),
    _run(_SERVER, "Server.handle_chat_completions"),
    _run(_SERVER, "Server.handle_embeddings"),
)
