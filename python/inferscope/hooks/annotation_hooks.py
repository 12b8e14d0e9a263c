"""Annotations by other libraries: NVTX ranges (torch.cuda.nvtx, the nvtx package) and torch.profiler.record_function.
They are recorded like scopes.
"""

import sys
from _thread import _local
from time import monotonic_ns

from .. import _recorder
from .._hook import Hook
from .._recorder import USER_SPAN_HEADER

# Ranges that PyTorch opens around its own parts, which have separate hooks.
OWN_PREFIXES = ("enumerate(DataLoader)", "Optimizer.", "torch::", "## ")


class _Ranges(_local):
    def __init__(self):
        self.open = []


_ranges = _Ranges()
_started = {}


def _begin(name, frame):
    """Returns (recorder, word), or None for a range that is not recorded."""
    recorder = _recorder.current
    if recorder is None or not isinstance(name, str) or name.startswith(OWN_PREFIXES):
        return None
    return recorder, recorder.begin(name, 0, frame, USER_SPAN_HEADER)


def _end(entry):
    if entry and entry[1]:
        entry[0].end(entry[1], monotonic_ns())


def _message(args, kwargs):
    return args[0] if args else kwargs.get("msg", kwargs.get("message"))


def wrap_push(original, hook, state):
    def push(*args, **kwargs):
        entry = None
        try:
            entry = _begin(_message(args, kwargs), sys._getframe().f_back)
            state.recorded += entry is not None
        except Exception as error:
            state.failed(error)
        _ranges.open.append(entry)
        try:
            return original(*args, **kwargs)
        except BaseException:
            if _ranges.open and _ranges.open[-1] is entry:
                _pop(state)
            raise

    return push


def _pop(state):
    try:
        if _ranges.open:
            _end(_ranges.open.pop())
    except Exception as error:
        state.failed(error)


def wrap_pop(original, hook, state):
    def pop(*args, **kwargs):
        _pop(state)
        return original(*args, **kwargs)

    return pop


def wrap_start(original, hook, state):
    """A range that another thread may end: identified by the handle that its start returns."""
    def start(*args, **kwargs):
        entry = None
        try:
            entry = _begin(_message(args, kwargs), sys._getframe().f_back)
        except Exception as error:
            state.failed(error)
        handle = original(*args, **kwargs)
        try:
            if entry and len(_started) < 10000:
                _started[handle] = entry
        except Exception as error:
            state.failed(error)
        return handle

    return start


def wrap_finish(original, hook, state):
    def finish(*args, **kwargs):
        try:
            _end(_started.pop(args[0] if args else None, None))
        except Exception as error:
            state.failed(error)
        return original(*args, **kwargs)

    return finish


def wrap_mark(original, hook, state):
    def mark(*args, **kwargs):
        try:
            if _recorder.current is not None:
                _recorder.current.mark(_message(args, kwargs), "", 0)
        except Exception as error:
            state.failed(error)
        return original(*args, **kwargs)

    return mark


def _wrap_enter(name_of):
    def wrap(original, hook, state):
        def __enter__(self):
            result = original(self)
            try:
                entry = _begin(name_of(self), sys._getframe().f_back)
                if entry:
                    self.__dict__.setdefault("_inferscope_open", []).append(entry)
                    state.recorded += 1
            except Exception as error:
                state.failed(error)
            return result

        return __enter__

    return wrap


def wrap_exit(original, hook, state):
    def __exit__(self, *args):
        try:
            entries = self.__dict__.get("_inferscope_open")
            if entries:
                _end(entries.pop())
        except Exception as error:
            state.failed(error)
        return original(self, *args)

    return __exit__


def nvtx_message(annotation):
    message = getattr(getattr(annotation, "attributes", None), "message", None)
    return message if isinstance(message, str) else getattr(message, "string", None)


_TORCH = "torch.cuda.nvtx"
_FUNCTION = "torch.autograd.profiler"

HOOKS = (
    Hook(_TORCH, "range_push", wrap=wrap_push),
    Hook(_TORCH, "range_pop", wrap=wrap_pop),
    Hook(_TORCH, "range_start", wrap=wrap_start, optional=True),
    Hook(_TORCH, "range_end", wrap=wrap_finish, optional=True),
    Hook(_TORCH, "mark", wrap=wrap_mark),
    Hook(_FUNCTION, "record_function.__enter__", wrap=_wrap_enter(lambda function: function.name)),
    Hook(_FUNCTION, "record_function.__exit__", wrap=wrap_exit),
    Hook("nvtx.nvtx", "push_range", wrap=wrap_push, optional=True),
    Hook("nvtx.nvtx", "pop_range", wrap=wrap_pop, optional=True),
    Hook("nvtx.nvtx", "start_range", wrap=wrap_start, optional=True),
    Hook("nvtx.nvtx", "end_range", wrap=wrap_finish, optional=True),
    Hook("nvtx.nvtx", "mark", wrap=wrap_mark, optional=True),
    Hook("nvtx.nvtx", "annotate.__enter__", wrap=_wrap_enter(nvtx_message), optional=True),
    Hook("nvtx.nvtx", "annotate.__exit__", wrap=wrap_exit, optional=True),
)
