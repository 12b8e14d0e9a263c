"""Starts the recording of tensor shapes in a process.

The environment asks for it (``SGLANG_PROFILE_SHAPES=1`` or ``INFERSCOPE_SHAPES=1``) in every interpreter that has
InferScope's start-up file on its path. Nothing is recorded, opened or imported before torch is, and nothing is written
before the first forward pass.
"""

import atexit
import os
import sys

from . import current
from .settings import Settings

# Hook table: the modules whose import loads it.
TABLES = {"shapes": ("torch",), "shapes_engine": ("sglang", "vllm", "transformers")}

_started = False


def start():
    """Starts if the environment asks for it; called once, at the start of the interpreter. Never raises."""
    global _started
    if _started or not sys.platform.startswith("linux"):
        return
    try:
        settings = Settings.of(os.environ)
        if settings is not None:
            _started = True
            atexit.register(_finish)
            os.register_at_fork(after_in_child=_after_fork)
            _watch_imports(settings)
    except Exception:
        pass


def _finish():
    if current.recording is not None:
        current.recording.finish()


def _after_fork():
    if current.recording is not None:
        current.recording.forked()


def _watch_imports(settings):
    from .._imports import Watcher

    watcher = Watcher({}, ())
    loaded = set()

    def loader(table):
        def load():
            if table not in loaded:
                loaded.add(table)
                _load_table(table, watcher, settings)

        return load

    for table, modules in TABLES.items():
        for module in modules:
            watcher.watched.add(module)
            watcher.libraries[module] = loader(table)
    watcher.install()


def _load_table(table, watcher, settings):
    from .. import _hook
    from . import recording

    if current.recording is None:
        current.recording = recording.Recording(settings)
    _hook.load_table(table, watcher, TABLES[table][0])
