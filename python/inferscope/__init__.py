"""InferScope in Python programs: ``from inferscope import scope, mark``.

``scope`` and ``mark`` (of old: ``mark_event``) name parts of a program for ``inferscope run``; in any other run they do
nothing. ``explain`` records a block and explains it, ``trace_handler`` explains the windows of torch.profiler, ``open``
reads reports; ``%load_ext inferscope`` adds ``%%inferscope`` to a notebook.
"""

__version__ = "0.1.0"
__all__ = ["ReportError", "explain", "mark", "mark_event", "open", "scope", "trace_handler"]
_MODULES = {
    "ReportError": "report", "explain": "_explain", "load_ipython_extension": "_magic", "open": "report",
    "trace_handler": "_trace_handler",
}
TYPE_CHECKING = False  # As typing's, which every interpreter would have to load.
if TYPE_CHECKING:
    from ._explain import explain as explain
    from ._scope import mark as mark, mark_event as mark_event, scope as scope
    from ._trace_handler import trace_handler as trace_handler
    from .report import ReportError as ReportError, open as open


def __getattr__(name):
    """Loads the public functions at first use, because the probe starts in every interpreter and most need only the
    probe."""
    if name in _MODULES:
        from importlib import import_module

        found = getattr(import_module("." + _MODULES[name], __name__), name)
        globals()[name] = found
        return found
    if name not in __all__:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    from . import _probe, _scope

    _probe.start()
    _probe.watch_tasks()
    globals().update(scope=_scope.scope, mark=_scope.mark, mark_event=_scope.mark_event)
    return globals()[name]
