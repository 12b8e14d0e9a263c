"""A model of transformers on a device, ready for one step: the input of a tracer."""

import contextlib
import os
import time

from . import inputs as inputs_of
from .tracer import Unsupported

SEED = 0
"""Seed of all random numbers, so that a model gives the same operators every time, even in training with dropout."""


class Options:
    """The options of the command line, as plain values."""

    def __init__(self, model_path, framework="huggingface", mode="eval", device="cpu", dtype="auto",
                 tensor_parallel_size=1, trust_remote_code=False):
        self.model_path = str(model_path)
        self.framework = framework
        self.mode = mode
        self.device = device
        self.dtype = dtype
        self.tensor_parallel_size = tensor_parallel_size
        self.trust_remote_code = trust_remote_code


class Context:
    """A model in its mode.

    ``options`` are the requested options, ``config`` is its config.json, ``model`` the ``nn.Module`` and ``inputs`` its
    keyword arguments (both loaded at first use), ``facts`` are its entries in the status.
    """

    def __init__(self, options, config):
        self.options = options
        self.config = config
        self.facts = {"model": (config.get("architectures") or [config.get("model_type", "?")])[0]}
        self._model = None
        self._inputs = None

    @property
    def model(self):
        """The module, on its device, in the requested mode."""
        if self._model is None:
            started = time.perf_counter()
            self._model = _load(self)
            self._inputs = inputs_of.build(self)
            self.facts["inputs"] = {name: list(getattr(value, "shape", ())) for name, value in self._inputs.items()}
            self.facts["load_s"] = round(time.perf_counter() - started, 3)
        return self._model

    @property
    def inputs(self):
        """The keyword arguments of one forward pass: tensors on the model's device, with labels in training."""
        self.model
        return self._inputs

    @property
    def training(self):
        """Whether a step includes the backward pass."""
        return self.options.mode == "train"

    def step(self, model=None):
        """Does one forward pass, in training the backward pass, too.

        ``model`` stands in for the module, for instance a compiled one. Returns the module's output.
        """
        import torch

        called = self.model if model is None else model
        arguments = dict(self.inputs)
        if not self.training:
            with torch.no_grad():
                return called(**arguments)
        self.model.zero_grad(set_to_none=True)
        output = called(**arguments)
        loss, kind = loss_of(output)
        loss.backward()
        self.facts["loss"] = float(loss.detach())
        self.facts["loss_kind"] = kind
        self.facts["parameters_with_gradient"] = sum(p.grad is not None for p in self.model.parameters())
        return output

    def synchronize(self):
        """Waits until the device has finished all launched work."""
        import torch

        if self.options.device.startswith("cuda"):
            torch.cuda.synchronize()


def loss_of(output):
    """Returns the loss of an output and its source: labels or, for a model without a head, the mean square of its
    output."""
    import torch

    loss = getattr(output, "loss", None)
    if loss is not None:
        return loss, "labels"
    values = output.values() if hasattr(output, "values") else output if isinstance(output, (tuple, list)) else (output,)
    for value in values:
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.requires_grad:
            return value.float().pow(2).mean(), "mean square of the output"
    raise Unsupported("training: the output has no loss and no tensor that a gradient flows through")


def _load(context):
    options = context.options
    _quiet()
    import torch
    import transformers

    if options.device.startswith("cuda") and not torch.cuda.is_available():
        raise Unsupported("device %s: this PyTorch (%s) finds no such device" % (options.device, torch.__version__))
    torch.manual_seed(SEED)
    model_class = _class_of(context.config, transformers, options.trust_remote_code)
    spelled = "dtype" if _version(transformers.__version__) >= (4, 56) else "torch_dtype"
    dtype = options.dtype if options.dtype == "auto" else getattr(torch, options.dtype)
    arguments = {"local_files_only": True, spelled: dtype}
    if options.trust_remote_code:
        arguments["trust_remote_code"] = True
    model = model_class.from_pretrained(options.model_path, **arguments)
    model.to(options.device)
    model.train(context.training)
    if context.training and getattr(model.config, "use_cache", False):
        model.config.use_cache = False
    context.facts["model"] = type(model).__name__
    context.facts["dtype"] = str(model.dtype).replace("torch.", "")
    context.facts["parameters"] = sum(p.numel() for p in model.parameters())
    return model


def _quiet():
    """Disables network access and progress bars of the traced model's libraries."""
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with contextlib.suppress(ImportError):
        import transformers

        transformers.logging.disable_progress_bar()


def _class_of(config, transformers, trust_remote_code):
    """Returns the class named in the configuration, otherwise an automatic one."""
    for name in config.get("architectures") or ():
        if hasattr(transformers, name):
            return getattr(transformers, name)
    if config.get("auto_map") and not trust_remote_code:
        raise Unsupported("the model brings code of its own; --trust-remote-code runs it")
    if config.get("auto_map"):
        return transformers.AutoModelForCausalLM if "AutoModelForCausalLM" in config["auto_map"] else transformers.AutoModel
    named = ", ".join(config.get("architectures") or ()) or "no architecture"
    if config.get("model_type") not in transformers.CONFIG_MAPPING:
        raise Unsupported("transformers %s knows neither %s nor the model type %s" % (
            transformers.__version__, named, config.get("model_type")))
    if config.get("architectures"):
        raise Unsupported("transformers %s has no class %s" % (transformers.__version__, named))
    return transformers.AutoModel


def _version(text):
    return tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in text.split(".")[:2])
