"""Exceptions that the program's own handlers of signals raise while the recorder's code runs."""

import sys


def pass_on(error):
    """Raises an exception again that is the program's: its handler of a signal raised it, a timeout say, while the
    recorder's code ran. Everything else that the recorder catches is its own."""
    trace = error.__traceback__
    if trace is not None and by_handler(trace.tb_next):
        raise error


def by_handler(trace):
    """Whether a handler of the program is among the functions of a traceback; ``None`` has none. Also called from C."""
    others = set()
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(_OWN):
            others.add(code)
        trace = trace.tb_next
    return bool(others) and not others.isdisjoint(_handlers())


class _Class:
    def method(self):
        pass


_OWN = pass_on.__code__.co_filename.rpartition("_signals")[0]  # The recorder has no handlers that raise.
_FUNCTION, _METHOD = type(_Class.method), type(_Class().method)


def _handlers():
    """The code of the program's handlers of signals. Asks their types alone: an object may have any attribute."""
    from _signal import NSIG, getsignal

    partial = getattr(sys.modules.get("functools"), "partial", ())  # Not imported: nobody has made one.
    found = set()
    for number in range(1, NSIG):
        handler = getsignal(number)
        while issubclass(type(handler), partial):
            handler = handler.func
        if type(handler) is _METHOD:
            handler = handler.__func__
        function = handler if type(handler) is _FUNCTION else getattr(type(handler), "__call__", None)
        if type(function) is _FUNCTION:
            found.add(function.__code__)
    return found
