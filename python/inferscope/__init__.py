"""InferScope's recorder for Python programs: ``from inferscope import scope, mark``.

It only records. ``inferscope run`` starts a program with this package on its path and turns what was recorded into a
report; in any other run ``scope`` and ``mark`` (of old: ``mark_event``) do nothing.
"""

__version__ = "0.1.0"
__all__ = ["mark", "mark_event", "scope"]


def __getattr__(name):
    """Loads the public functions at first use, because the probe starts in every interpreter and most need only the
    probe."""
    if name not in __all__:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    from . import _probe, _scope

    _probe.start()
    _probe.watch_tasks()
    globals().update(scope=_scope.scope, mark=_scope.mark, mark_event=_scope.mark_event)
    return globals()[name]
