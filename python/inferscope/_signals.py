"""Exceptions that the program's own handlers of signals raise while the recorder's code runs."""

import sys


def pass_on(error):
    """Raises an exception again if a signal handler of the program raised it, for example for a timeout, while the
    recorder's code ran. All other exceptions that the recorder catches are its own."""
    trace = error.__traceback__
    if trace is not None and by_handler(trace.tb_next):
        raise error


def by_handler(trace):
    """Whether a handler of the program is among the functions of a traceback; ``None`` has none. Also called from C."""
    others = set()
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(_OWN):
            if _handles_signal(trace.tb_frame):
                return True
            others.add(code)
        trace = trace.tb_next
    return bool(others) and not others.isdisjoint(_handlers())


def _handles_signal(frame):
    """Whether a function was called as Python calls handlers, whatever is installed now: with the number of a signal and
    the interrupted frame, which is its caller."""
    code, caller = frame.f_code, frame.f_back
    count = code.co_argcount
    if caller is None or not (count or code.co_flags & _TAKES_MORE):
        return False
    values = frame.f_locals
    given = [values.get(name) for name in code.co_varnames[:count]]
    if code.co_flags & _TAKES_MORE:
        more = values.get(code.co_varnames[count + code.co_kwonlyargcount])
        given += more if type(more) is tuple else ()
    return any(two is caller and issubclass(type(one), int) for one, two in zip(given, given[1:]))


class _Class:
    def method(self):
        pass


_OWN = pass_on.__code__.co_filename.rpartition("_signals")[0]  # The recorder has no handlers that raise.
_TAKES_MORE = 0x04  # inspect.CO_VARARGS
_FUNCTION, _METHOD = type(_Class.method), type(_Class().method)


def _handlers():
    """The code of the installed handlers: one may have put other values in place of its arguments. Asks their types alone: an object may have any
    attribute."""
    from _signal import NSIG, getsignal

    partial = getattr(sys.modules.get("functools"), "partial", ())  # Without functools, no handler is a partial.
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
