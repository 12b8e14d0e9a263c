"""Starts the recording of tensor shapes in a process, and ends it with the process.

Started by the environment (``SGLANG_PROFILE_SHAPES=1`` or ``INFERSCOPE_SHAPES=1``) in every interpreter that has InferScope's start-up file on
its path. Nothing is recorded, opened or imported before torch is, and nothing is written before the first forward pass.
"""

import atexit
import os
import sys

from ._shape_recording import Recording
from ._shape_settings import Settings

TABLES = {
    "shapes": ("torch",), "shapes_engine": ("sglang", "vllm", "transformers"),
}

PREFILL, DECODE, FIRST = "PREFILL", "DECODE", "FIRST"

recording = None


def start():
    """Starts if the environment asks for it; called once, at the start of the interpreter. Never raises."""
    global recording
    if recording is not None or not sys.platform.startswith("linux"):
        return
    try:
        settings = Settings.of(os.environ)
        if settings is None:
            return
        recording = Recording(settings)
        atexit.register(finish)
        os.register_at_fork(after_in_child=_after_fork)
        _watch_imports()
    except Exception:
        recording = None


def _watch_imports():
    from ._imports import Watcher

    watcher = Watcher({}, ())
    loaded = set()

    def loader(table):
        def load():
            if table not in loaded:
                loaded.add(table)
                _load_table(table, watcher)

        return load

    for table, modules in TABLES.items():
        for module in modules:
            watcher.watched.add(module)
            watcher.libraries[module] = loader(table)
    watcher.install()


def _load_table(table, watcher):
    from importlib import import_module

    from . import _hook

    hooks = import_module("inferscope.hooks.%s_hooks" % table)
    for module_name in dict.fromkeys(hook.module for hook in hooks.HOOKS):
        rows = [hook for hook in hooks.HOOKS if hook.module == module_name]
        watcher.add(module_name, lambda module, rows=rows: [_hook.install(module, row) for row in rows])
    for module_name, action in getattr(hooks, "AFTER_IMPORT", {}).items():
        watcher.add(module_name, action)


def _after_fork():
    if recording is not None:
        recording.forked()


def handle_signals():
    """Has the signals that end a process finish the files first, where the program leaves them to the system. They then do what they do."""
    from signal import SIG_DFL, SIGQUIT, SIGTERM, getsignal, signal

    def finish_first(number, frame):
        finish()
        signal(number, SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (SIGTERM, SIGQUIT):
        if getsignal(number) == SIG_DFL:
            signal(number, finish_first)


def finish():
    """Makes the files, if there is anything to make them of. Never raises."""
    if recording is not None:
        recording.finish()
