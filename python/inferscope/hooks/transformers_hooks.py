"""transformers 4 and 5: tokenizers, processors, generation, model loading.

Values: tokens produced (tokenize), tokens read (detokenize), new tokens over the batch (generate).
"""

from . import torch_hooks
from .._hook import Hook
from .._same import begins_same, same_of
from .._spool_format import LOAD, MODEL, PREPROCESSING, SERIALIZATION, TOKENIZATION


def count_ids(ids):
    """Number of token ids in an int, a list, a list of lists, an array or a tensor; 0 when it is none of these."""
    if hasattr(ids, "shape"):
        count = 1
        for size in ids.shape:
            count *= int(size)
        return count
    if isinstance(ids, (list, tuple)):
        return sum(len(row) if isinstance(row, (list, tuple)) else 1 for row in ids)
    return 1 if isinstance(ids, int) else 0


def encoded_tokens(result, args, kwargs):
    if hasattr(result, "keys"):
        return count_ids(result["input_ids"]) if "input_ids" in result.keys() else 0
    return count_ids(result)


def decoded_tokens(result, args, kwargs):
    ids = args[1] if len(args) > 1 else kwargs.get("token_ids", kwargs.get("sequences"))
    return count_ids(ids)


def new_tokens(result, args, kwargs):
    sequences = getattr(result, "sequences", result)
    shape = getattr(sequences, "shape", ())
    if len(shape) != 2:
        return 0
    prompt = args[1] if len(args) > 1 else kwargs.get("inputs", kwargs.get("input_ids"))
    decoder_only = not getattr(getattr(args[0], "config", None), "is_encoder_decoder", False)
    prompt_length = prompt.shape[-1] if decoder_only and hasattr(prompt, "shape") else 0
    return max(0, int(shape[0]) * int(shape[1] - prompt_length))


def tells_draft(args, kwargs):
    """Every call is recorded; of assisted generation, whose passes are the draft's."""
    draft = kwargs.get("assistant_model")
    if draft is not None:
        torch_hooks.add_draft(draft)
    return True


def named(verb):
    """A span name made of a verb and the class the method was called on."""
    def name(args, kwargs):
        owner = args[0] if isinstance(args[0], type) else type(args[0])
        return "%s %s" % (verb, owner.__name__)

    return name


def _encode(module, path, optional=False, keyword="text"):
    return Hook(module, path, "tokenize", TOKENIZATION, "tokenize", encoded_tokens, begins_same(1, keyword), optional=optional)


def _decode(module, path):
    return Hook(module, path, "detokenize", SERIALIZATION, "detokenize", decoded_tokens)


def _load(module, path):
    return Hook(module, path, named("from_pretrained"), LOAD, "load", when=same_of(1, "pretrained_model_name_or_path"))


_BASE = "transformers.tokenization_utils_base"
_FAST4 = "transformers.tokenization_utils_fast"
_SLOW4 = "transformers.tokenization_utils"
_FAST5 = "transformers.tokenization_utils_tokenizers"
_SLOW5 = "transformers.tokenization_python"
_AUTO = "transformers.models.auto."

HOOKS = (
    _encode(_BASE, "PreTrainedTokenizerBase.__call__"),
    _encode(_BASE, "PreTrainedTokenizerBase.encode"),
    _encode(_BASE, "PreTrainedTokenizerBase.encode_plus", optional=True),
    _encode(_BASE, "PreTrainedTokenizerBase.batch_encode_plus", optional=True),
    _encode(_BASE, "PreTrainedTokenizerBase.apply_chat_template", True, "conversation"),
    _encode(_FAST5, "TokenizersBackend._encode_plus"),
    _encode(_SLOW5, "PythonBackend._encode_plus"),
    _encode(_FAST4, "PreTrainedTokenizerFast._encode_plus", optional=True),
    _encode(_FAST4, "PreTrainedTokenizerFast._batch_encode_plus", optional=True),
    _encode(_SLOW4, "PreTrainedTokenizer._encode_plus", optional=True),
    _encode(_SLOW4, "PreTrainedTokenizer._batch_encode_plus", optional=True),
    _decode(_BASE, "PreTrainedTokenizerBase.decode"),
    _decode(_BASE, "PreTrainedTokenizerBase.batch_decode"),
    Hook("transformers.generation.utils", "GenerationMixin.generate", "generate", MODEL, "generate", new_tokens,
         tells_draft),
    Hook("transformers.image_processing_utils", "BaseImageProcessor.__call__", named("preprocess"), PREPROCESSING,
         "preprocess"),
    Hook("transformers.processing_utils", "ProcessorMixin.__call__", named("preprocess"), PREPROCESSING, "preprocess",
         optional=True),
    _load("transformers.modeling_utils", "PreTrainedModel.from_pretrained"),
    _load(_BASE, "PreTrainedTokenizerBase.from_pretrained"),
    _load(_AUTO + "auto_factory", "_BaseAutoModelClass.from_pretrained"),
    _load(_AUTO + "tokenization_auto", "AutoTokenizer.from_pretrained"),
    _load(_AUTO + "processing_auto", "AutoProcessor.from_pretrained"),
    _load(_AUTO + "image_processing_auto", "AutoImageProcessor.from_pretrained"),
    _load("transformers.processing_utils", "ProcessorMixin.from_pretrained"),
)
