"""Stands for SGLang's kernels where there is no GPU: PyPI's package of them needs NVIDIA's libraries even to be imported.

Every name can be imported, and nothing can be called: with `--attention-backend torch_native` and `--sampling-backend pytorch` SGLang computes with
PyTorch alone, and a call of one of these functions ends with an error.
"""

import importlib.machinery
import sys
import types

__version__ = "0"
__path__ = []


class _Missing:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        return _missing(self._name + "." + name)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(self._name + " needs a GPU")


def _missing(path):
    if path.rpartition(".")[2].startswith("__"):
        raise AttributeError(path)
    return _Missing(path)


def __getattr__(name):
    return _missing(__name__ + "." + name)


class _Submodules:
    """Finds every module below this one."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.startswith(__name__ + ".") else None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: _missing(spec.name + "." + name)
        return module

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, _Submodules())
