"""Makes the inputs of one forward pass from the model's signature and configuration."""

import inspect

from .tracer import Unsupported

PROMPTS = (
    "The quick brown fox jumps over the lazy dog while seven wizards watch.",
    "A tracer looks at every operator that a model runs, once, and writes it down.",
)
"""Two prompts of different length, so that padding and masks are used."""

_SAMPLES_PER_SECOND = 16_000
"""Sampling rate of models that read waveforms, as in their feature extractors."""


def build(context):
    """Returns the keyword arguments of the context's model."""
    import torch

    model = context.model
    parameters = inspect.signature(model.forward).parameters
    main = getattr(model, "main_input_name", "input_ids")
    generator = torch.Generator().manual_seed(0)
    if main == "pixel_values":
        made = {"pixel_values": _pixels(model.config, generator)}
    elif main == "input_features":
        made = {"input_features": _spectrum(model.config, generator)}
    elif main == "input_values" and "input_ids" not in parameters:
        made = {"input_values": torch.randn(len(PROMPTS), _SAMPLES_PER_SECOND, generator=generator)}
    elif "input_ids" in parameters:
        made = _tokens(context)
        if "return_loss" in parameters and "pixel_values" in parameters:  # Pairs of texts and images.
            made["pixel_values"] = _pixels(model.config.vision_config, generator)
    else:
        raise Unsupported("%s wants %s, and no such input can be made" % (type(model).__name__, main))
    made = {name: value for name, value in made.items() if name in parameters}
    if getattr(model.config, "is_encoder_decoder", False):
        _decoder(made, model, parameters, context.training)
    if context.training:
        _labels(made, model, parameters)
    return {name: _onto(value, model) for name, value in made.items()}


def _onto(value, model):
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    return value.to(model.device, model.dtype) if value.is_floating_point() else value.to(model.device)


def _tokens(context):
    import transformers

    options = context.options
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            options.model_path, local_files_only=True, **({"trust_remote_code": True} if options.trust_remote_code else {}))
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise Unsupported("the tokenizer cannot be loaded: %s" % error) from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token or tokenizer.convert_ids_to_tokens(0)
    tokens = dict(tokenizer(list(PROMPTS), return_tensors="pt", padding=True))
    size = _vocabulary(context.model.config)
    largest = int(tokens["input_ids"].max())
    if size and largest >= size:
        raise Unsupported("the tokenizer gives token %d, the model knows %d" % (largest, size))
    return tokens


def _vocabulary(config):
    text = getattr(config, "text_config", None) or config
    return getattr(text, "vocab_size", 0) or 0


def _pixels(config, generator):
    import torch

    size = getattr(config, "image_size", None) or getattr(getattr(config, "vision_config", None), "image_size", None) or 224
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    channels = getattr(config, "num_channels", 3)
    shape = (len(PROMPTS), channels, height, width)
    frames = getattr(config, "num_frames", None)
    if frames:
        shape = (len(PROMPTS), frames, channels, height, width)
    return torch.randn(*shape, generator=generator)


def _spectrum(config, generator):
    import torch

    return torch.randn(len(PROMPTS), getattr(config, "num_mel_bins", 80), 2 * getattr(config, "max_source_positions", 1500),
                       generator=generator)


def _decoder(made, model, parameters, training):
    """Adds the decoder's input: its first token; in training the decoder makes its input from the labels."""
    import torch

    if "decoder_input_ids" in parameters and not (training and "labels" in parameters):
        start = model.config.decoder_start_token_id
        made["decoder_input_ids"] = torch.full((len(PROMPTS), 1), start if start is not None else 0)


def _labels(made, model, parameters):
    """Adds the inputs for the loss, as far as the model's signature names them."""
    import torch

    name = type(model).__name__
    rows = len(PROMPTS)
    if "start_positions" in parameters:
        made["start_positions"] = made["end_positions"] = torch.zeros(rows, dtype=torch.long)
    elif "labels" in parameters:
        tokens = made.get("input_ids")
        if "SequenceClassification" in name or "ImageClassification" in name or tokens is None and "decoder_input_ids" not in parameters:
            made["labels"] = torch.zeros(rows, dtype=torch.long)
        elif "TokenClassification" in name:
            made["labels"] = torch.zeros_like(tokens)
        elif tokens is None:
            made["labels"] = torch.ones(rows, 4, dtype=torch.long)
        elif "NextSentence" in name:
            made["labels"] = torch.zeros(rows, dtype=torch.long)
        else:
            made["labels"] = tokens.clone()
    elif "return_loss" in parameters:
        made["return_loss"] = True
