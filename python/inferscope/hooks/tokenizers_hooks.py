"""tokenizers: its Tokenizer is a compiled type whose methods cannot be replaced, so direct use of it goes unrecorded.
The rows stay: installing them leaves a COVERAGE record that says so, or records them should the type become open."""

from .._hook import Hook
from .._recorder import SERIALIZATION, TOKENIZATION

HOOKS = (
    Hook("tokenizers", "Tokenizer.encode", "tokenize", TOKENIZATION, "tokenize"),
    Hook("tokenizers", "Tokenizer.encode_batch", "tokenize", TOKENIZATION, "tokenize"),
    Hook("tokenizers", "Tokenizer.decode", "detokenize", SERIALIZATION, "detokenize"),
    Hook("tokenizers", "Tokenizer.decode_batch", "detokenize", SERIALIZATION, "detokenize"),
)
