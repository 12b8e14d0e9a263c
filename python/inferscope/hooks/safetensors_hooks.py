"""safetensors: loading whole files. transformers opens files by a compiled class; its from_pretrained is recorded."""

from .._hook import Hook
from .._same import same_of
from .._spool_format import LOAD

HOOKS = (
    Hook("safetensors.torch", "load_file", "safetensors load", LOAD, "load", when=same_of(0, "filename")),
    Hook("safetensors.torch", "load_model", "safetensors load", LOAD, "load", when=same_of(1, "filename")),
    Hook("safetensors.torch", "load", "safetensors load", LOAD, "load"),
)
