"""tokenizers, used directly. If a version's Tokenizer is an immutable compiled type, its methods cannot be replaced,
which each hook reports in a COVERAGE record. Calls from transformers are inside a recorded call and add nothing.

Values: tokens produced (tokenize), tokens read (detokenize).
"""

from .._hook import Hook
from .._same import begins_same
from .._spool_format import SERIALIZATION, TOKENIZATION


def encoded_tokens(result, args, kwargs):
    return sum(len(one) for one in result) if isinstance(result, list) else len(result)


def decoded_tokens(result, args, kwargs):
    ids = args[1] if len(args) > 1 else kwargs.get("ids", kwargs.get("sequences", ()))
    return sum(len(one) if hasattr(one, "__len__") else 1 for one in ids)


HOOKS = (
    Hook("tokenizers", "Tokenizer.encode", "tokenize", TOKENIZATION, "tokenize", encoded_tokens, begins_same(1, "sequence")),
    Hook("tokenizers", "Tokenizer.encode_batch", "tokenize", TOKENIZATION, "tokenize", encoded_tokens),
    Hook("tokenizers", "Tokenizer.decode", "detokenize", SERIALIZATION, "detokenize", decoded_tokens),
    Hook("tokenizers", "Tokenizer.decode_batch", "detokenize", SERIALIZATION, "detokenize", decoded_tokens),
)
