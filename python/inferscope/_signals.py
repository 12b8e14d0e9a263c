"""Exceptions that the program's own handlers of signals raise while the recorder's code runs."""


def pass_on(error):
    """Raises an exception again that is the program's: its handler of a signal raised it, a timeout say, while the
    recorder's code ran. Everything else that the recorder catches is its own."""
    trace = error.__traceback__
    if trace is None or trace.tb_next is None:
        return  # Nothing was called that is written in Python.
    handlers = _handlers()
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            raise error
        trace = trace.tb_next


def _handlers():
    """The code of the program's handlers of signals."""
    from _signal import NSIG, getsignal

    found = set()
    for number in range(1, NSIG):
        handler = getsignal(number)
        while hasattr(handler, "func"):  # functools.partial
            handler = handler.func
        handler = getattr(handler, "__func__", handler)
        code = getattr(handler, "__code__", None) or getattr(getattr(type(handler), "__call__", None), "__code__", None)
        if code is not None:
            found.add(code)
    return found
