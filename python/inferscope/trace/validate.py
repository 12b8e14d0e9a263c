"""Strict validation of a model's files before any import: an incomplete model must fail at once with the reason."""

import json
import pathlib
import struct
import zipfile

from .tracer import ModelError

_TOKENIZER_FILES = (
    "tokenizer.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "vocab.txt", "vocab.json", "bpe.codes",
    "source.spm", "tekken.json", "vocab.model", "tokenizer_config.json",
)
_TEXT_KEYS = ("vocab_size", "text_config", "decoder")
_MAX_HEADER_BYTES = 100_000_000
"""The limit of the safetensors format."""

_BITS = {"BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "U16": 16,
         "I16": 16, "F16": 16, "BF16": 16, "U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64, "F64": 64, "C64": 64,
         "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}
_LFS_POINTER = b"version https://git-lfs"
_MOST_NAMED = 5


def validate(path):
    """Checks config, tokenizer and every file of weights of the model in folder ``path``.

    Returns its configuration. Raises ``ModelError`` that names the files and their problems.
    """
    folder = pathlib.Path(path)
    if not folder.is_dir():
        raise ModelError("%s is not a folder with a model" % folder)
    config = _document(folder / "config.json")
    problems = _tokenizer_problems(folder, config) + _weight_problems(folder)
    if problems:
        more = "; and %d more" % (len(problems) - _MOST_NAMED) if len(problems) > _MOST_NAMED else ""
        raise ModelError("incomplete model in %s: %s%s" % (folder, "; ".join(problems[:_MOST_NAMED]), more))
    return config


def _document(file):
    try:
        value = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise ModelError("incomplete model in %s: %s is missing" % (file.parent, file.name)) from None
    except (OSError, ValueError) as error:
        raise ModelError("incomplete model in %s: %s cannot be read: %s" % (file.parent, file.name, error)) from None
    if not isinstance(value, dict):
        raise ModelError("incomplete model in %s: %s is not a JSON object" % (file.parent, file.name))
    return value


def _tokenizer_problems(folder, config):
    if not any(key in config for key in _TEXT_KEYS) or ("image_size" in config and "text_config" not in config):
        return []  # For example, BEiT's vocabulary consists of image patches.
    present = [folder / name for name in _TOKENIZER_FILES if (folder / name).is_file()]
    if not present and not any(folder.glob("*.tiktoken")):
        return ["no tokenizer (none of %s)" % ", ".join(_TOKENIZER_FILES[:6])]
    problems = []
    for file in present:
        if file.stat().st_size == 0:
            problems.append("%s is empty" % file.name)
        elif file.suffix == ".json":
            try:
                json.loads(file.read_bytes())
            except ValueError as error:
                problems.append("%s is not JSON: %s" % (file.name, error))
    return problems


def _weight_problems(folder):
    """Checks the files that transformers would load, in its order of preference."""
    for single, index in (("model.safetensors", "model.safetensors.index.json"),
                          ("pytorch_model.bin", "pytorch_model.bin.index.json")):
        if (folder / single).exists():
            return _file_problems(folder / single, None)
        if (folder / index).exists():
            return _index_problems(folder, folder / index)
    others = sorted(folder.glob("*.safetensors")) + sorted(folder.glob("*.bin"))
    if not others:
        return ["no weights (.safetensors or .bin)"]
    return [problem for file in others for problem in _file_problems(file, None)]


def _index_problems(folder, index):
    weight_map = _document(index).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        return ["%s has no weight_map" % index.name]
    tensors = {}
    for tensor, shard in weight_map.items():
        tensors.setdefault(str(shard), set()).add(tensor)
    problems = []
    for shard in sorted(tensors):
        if pathlib.PurePath(shard).name != shard:
            problems.append("%s names a shard outside the folder: %s" % (index.name, shard))
        elif not (folder / shard).is_file():
            problems.append("shard %s of %s is missing" % (shard, index.name))
        else:
            problems += _file_problems(folder / shard, tensors[shard])
    return problems


def _file_problems(file, wanted):
    """Returns the problems of a file of weights that must contain the tensors ``wanted`` (None: any)."""
    try:
        size = file.stat().st_size
        with open(file, "rb") as data:
            head = data.read(len(_LFS_POINTER))
        if size == 0:
            return ["%s is empty" % file.name]
        if head == _LFS_POINTER:
            return ["%s is a Git LFS pointer, not the file itself" % file.name]
        if file.suffix == ".safetensors":
            return _safetensors_problems(file, size, wanted)
        if head[:2] == b"PK":
            zipfile.ZipFile(file).close()  # The directory is at the end, so a truncated archive has none.
        elif head[:1] != b"\x80":
            return ["%s is neither a zip archive nor a pickle" % file.name]
        return []
    except zipfile.BadZipFile:
        return ["%s is truncated or damaged" % file.name]
    except OSError as error:
        return ["%s cannot be read: %s" % (file.name, error.strerror or error)]


def _safetensors_problems(file, size, wanted):
    try:
        tensors = safetensors_header(file, size)
    except ValueError as error:
        return ["%s: %s" % (file.name, error)]
    missing = sorted(wanted - tensors.keys()) if wanted else ()
    if missing:
        return ["%s lacks the tensor %s of its index%s" % (
            file.name, missing[0], " and %d more" % (len(missing) - 1) if len(missing) > 1 else "")]
    return []


def safetensors_header(file, size):
    """Returns the tensors of a file of ``size`` bytes; raises ValueError if header and size do not agree."""
    with open(file, "rb") as data:
        start = data.read(8)
        if len(start) < 8:
            raise ValueError("%d bytes, less than a safetensors header" % size)
        length = struct.unpack("<Q", start)[0]
        if length > _MAX_HEADER_BYTES or 8 + length > size:
            raise ValueError("header of %d bytes in a file of %d: truncated, or not safetensors" % (length, size))
        try:
            header = json.loads(data.read(length))
        except ValueError:
            raise ValueError("its header is not JSON") from None
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    header.pop("__metadata__", None)
    end = max((_tensor_end(name, tensor) for name, tensor in header.items()), default=0)
    if 8 + length + end != size:
        raise ValueError("%d bytes, but its header promises %d: truncated" % (size, 8 + length + end)
                         if 8 + length + end > size else "%d bytes more than its header promises" % (size - 8 - length - end))
    return header


def _tensor_end(name, tensor):
    try:
        begin, end = tensor["data_offsets"]
        bits = _BITS.get(tensor["dtype"], 0)
        for extent in tensor["shape"]:
            bits *= extent
        sound = 0 <= begin <= end and (tensor["dtype"] not in _BITS or bits == 8 * (end - begin))
    except (TypeError, KeyError, ValueError):
        sound = False
    if not sound:
        raise ValueError("the entry of tensor %s makes no sense" % name)
    return end
