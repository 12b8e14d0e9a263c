"""Downloads a model from a Hugging Face hub: reports missing permission early, downloads each model once, and resumes
interrupted downloads.

It uses the standard variables: HF_ENDPOINT (a mirror), HF_HOME, HF_HUB_CACHE, HF_TOKEN, HF_HUB_OFFLINE,
TRANSFORMERS_OFFLINE.
"""

import contextlib
import fcntl
import os
import pathlib
import re
import time

from . import validate
from .tracer import ModelError

_MODEL = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_NEVER = ("original/*", "metal/*", "onnx/*", "openvino/*", "coreml/*", "runs/*", "*.h5", "*.msgpack", "*.onnx", "*.ot", "*.gguf",
          "*.pth", "*.pt", "*.tflite", "*.mlmodel")
_ATTEMPTS = 3
_PAUSE_S = 1.0


def offline():
    """Whether network access is disabled."""
    return any(os.environ.get(name, "").upper() in ("1", "ON", "YES", "TRUE") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def fetch(model):
    """Returns the folder of the model, complete and validated. Raises ``ModelError`` with the reason if there is none."""
    if not _MODEL.fullmatch(model):
        raise ModelError("%s is neither a folder nor the name of a model (owner/name)" % model)
    try:
        import huggingface_hub
        import huggingface_hub.constants
        import huggingface_hub.errors
    except ImportError:
        raise ModelError("%s is not a folder, and only huggingface_hub can download a model: install it" % model) from None
    with _lock(model, huggingface_hub):
        path = _cached(model, huggingface_hub) if offline() else _download(model, huggingface_hub)
        validate.validate(path)
    return path


@contextlib.contextmanager
def _lock(model, hub):
    """A lock, so that one process at a time, of any batch, works on a model. It ends with its process."""
    folder = pathlib.Path(hub.constants.HF_HOME) / "inferscope-locks"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / (model.replace("/", "--") + ".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _cached(model, hub):
    try:
        # The validation decides whether the files left out are needed.
        return hub.snapshot_download(model, local_files_only=True, ignore_patterns=[*_NEVER, "*.bin"])
    except hub.errors.LocalEntryNotFoundError:
        raise ModelError("offline, and %s is not, or not completely, in the cache" % model) from None


def _download(model, hub):
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _attempt(model, hub)
        except hub.errors.GatedRepoError:
            raise ModelError("no permission: %s is gated; ask for access on its page, then set HF_TOKEN" % model) from None
        except hub.errors.RepositoryNotFoundError:
            raise ModelError("no such model, or no permission: %s; set HF_TOKEN if it is private" % model) from None
        except hub.errors.HfHubHTTPError as error:
            status = getattr(error.response, "status_code", 0)
            if status in (401, 403):
                raise ModelError("no permission: the hub answers %d for %s; set HF_TOKEN" % (status, model)) from None
            if status < 500 and status != 429 or attempt == _ATTEMPTS:
                raise ModelError("the hub answers %d for %s" % (status, model)) from error
        except (OSError, RuntimeError) as error:
            if attempt == _ATTEMPTS or isinstance(error, OSError) and error.errno is not None and not _of_network(error):
                raise
        except Exception as error:  # The hub's HTTP library has its own exceptions.
            if attempt == _ATTEMPTS:
                raise ModelError("%s is not a folder here and cannot be downloaded: %s: %s" % (model, type(error).__name__, error)) from error
        time.sleep(_PAUSE_S * attempt)
    raise AssertionError("unreachable")


def _of_network(error):
    return isinstance(error, (ConnectionError, TimeoutError))


def _attempt(model, hub):
    """Downloads a small file first, which shows whether access is permitted; then resumes or starts the download."""
    info = hub.HfApi().model_info(model, files_metadata=True)
    hub.hf_hub_download(model, "config.json")
    sizes = {sibling.rfilename: sibling.size for sibling in info.siblings or ()}
    ignored = list(_NEVER)
    if any(name.endswith(".safetensors") and "/" not in name for name in sizes):
        ignored.append("*.bin")
    # By branch name, which also works offline.
    path = hub.snapshot_download(model, ignore_patterns=ignored, max_workers=4)
    for name, size in sorted(sizes.items()) if pathlib.Path(path).name == info.sha else ():
        file = pathlib.Path(path, name)
        if size is not None and file.is_file() and file.stat().st_size != size:
            raise ModelError("%s of %s has %d bytes, the hub says %d" % (name, model, file.stat().st_size, size))
    return path
