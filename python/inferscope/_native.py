"""Loads the C parts of the probe, if this Python can run them. All of them also exist in Python, which is slower."""

import os
import platform
import sys
from functools import lru_cache

from ._signals import pass_on

ENDING = ".abi3.so"
OLDEST = 3, 10  # The oldest version whose stable interface has all functions that the libraries use.
SWITCH = "INFERSCOPE_NATIVE"
_FOLDERS = {"x86_64": "linux-x86-64", "aarch64": "linux-aarch64"}


@lru_cache(None)
def load(name):
    """A library by its name, or None: on another processor, in an interpreter with another object layout (PyPy, one
    without the global lock), and if INFERSCOPE_NATIVE is 0. Raises nothing of its own."""
    try:
        from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
        from importlib.util import module_from_spec, spec_from_file_location

        folder = _FOLDERS.get(platform.machine()) if sys.maxsize > 1 << 32 else None
        if folder is None or sys.version_info < OLDEST or ENDING not in EXTENSION_SUFFIXES or os.environ.get(SWITCH) == "0":
            return None
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native", folder, name + ENDING)
        full_name = "inferscope." + name
        module = module_from_spec(spec_from_file_location(full_name, path, loader=ExtensionFileLoader(full_name, path)))
        module.__spec__.loader.exec_module(module)
        return module
    except Exception as error:
        pass_on(error)
        return None
