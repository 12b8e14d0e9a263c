"""Watches imports: runs actions after the import of certain modules, and records the import of large ones.

One finder at the front of sys.meta_path looks a name up in a dict and returns None; only for a watched name does it get
the spec from the later finders and wrap that loader's exec_module, once. This module never triggers an import.
"""

import sys
from time import monotonic_ns

from . import _recorder
from ._recorder import _local
from ._signals import pass_on
from ._spool_format import LOAD, SPAN_FAILED, SPAN_HEADER

# The interpreter removes frames of importlib from the traceback of a failed import and recognises them by this file
# name.
IMPORTLIB = "<frozen importlib._bootstrap>"


def _as_importlib(function):
    """Makes a function inside an import disappear from tracebacks like importlib's own functions."""
    function.__code__ = function.__code__.replace(co_filename=IMPORTLIB)
    return function


class _Importing(_local):
    nested = False


class Watcher:
    """A sys.meta_path finder. ``actions`` maps a module name to functions called with the imported module;
    ``libraries`` maps a top-level name to a function called before it is first searched; ``timed`` names modules whose
    import becomes a span, the outermost only."""

    def __init__(self, libraries, timed):
        self.libraries, self.timed = dict(libraries), timed
        self.actions = {}
        self.watched = set(libraries) | set(timed)
        self.importing = _Importing()

    def add(self, name, action):
        """Calls ``action(module)`` after ``name`` is imported, at once when it already is."""
        module = sys.modules.get(name)
        if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
            action(module)
        self.watched.add(name)
        self.actions.setdefault(name, []).append(action)

    def install(self):
        sys.meta_path.insert(0, self)
        for name in list(self.libraries):
            if name in sys.modules:
                self._prepare(name)

    def find_spec(self, name, path=None, target=None):
        if name not in self.watched:
            return None
        if name in self.libraries:
            self._prepare(name)
        spec = self._find_elsewhere(name, path, target)
        if spec is not None:
            try:
                self._arm(name, spec.loader)
            except Exception as error:
                pass_on(error)
        return spec

    def _prepare(self, name):
        try:
            self.libraries.pop(name, lambda: None)()
        except Exception as error:
            pass_on(error)

    def _find_elsewhere(self, name, path, target):
        finders = list(sys.meta_path)
        for finder in finders[finders.index(self) + 1:] if self in finders else finders:
            find_spec = getattr(finder, "find_spec", None)
            if find_spec is None:
                continue
            spec = find_spec(name, path, target)
            if spec is not None:
                return spec
        return None

    def _arm(self, name, loader):
        run = loader.exec_module

        @_as_importlib
        def exec_module(module):
            try:
                del loader.exec_module
            except Exception as error:
                pass_on(error)
            self._execute(name, module, run)

        loader.exec_module = exec_module

    @_as_importlib
    def _execute(self, name, module, run):
        if name in self.timed and not self.importing.nested:
            word, recorder = self._begin("import " + name), _recorder.current
            failed = SPAN_FAILED
            self.importing.nested = True
            try:
                run(module)
                failed = 0
            finally:
                self.importing.nested = False
                try:
                    if word:
                        recorder.end(word, monotonic_ns())
                        recorder.words[word] = SPAN_HEADER | failed
                except Exception as error:
                    pass_on(error)
        else:
            run(module)
        for action in self.actions.get(name, ()):
            try:
                action(module)
            except Exception as error:
                pass_on(error)

    @staticmethod
    def _begin(name):
        try:
            return _recorder.current.begin(name, LOAD, sys._getframe(3))
        except Exception as error:
            pass_on(error)
            return 0
