"""The place of a thread's dispatch mode among the modes of the thread."""

import sys

from . import current
from .log import MAX_PASS, PASS_SHIFT


class Place:
    """A thread's mode and its place in the thread's stack of modes, which must be left in reverse order.

    If the stack is empty, the mode is entered at the bottom and stays, so that operators between two forward passes are
    seen. If the program has a mode of its own, this one is entered for each forward pass: ``for_pass``.
    """

    def __init__(self, mode):
        self.mode, self.entered, self.stays, self.for_pass = mode, False, False, False
        self.push, self.pop = _push_and_pop()

    def forward_pass(self):
        """The number of the thread's forward pass, 0 before the first that is recorded."""
        return self.mode.running >> PASS_SHIFT & MAX_PASS

    def enter(self):
        """Returns whether this call entered the mode. A mode that is on the stack but no longer called, because a guard
        has reset the thread's dispatch keys, is entered again."""
        if self.entered and (_modes_are_called() or not self.leave()):
            return False
        self.stays = _stack_length() == 0
        self.push(self.mode)
        self.entered = True
        return True

    def leave(self):
        """Leaves the mode if it is the last one entered. Otherwise it stays, and records nothing once it has no
        book."""
        if self.entered and _last_mode() is self.mode:
            self.pop()
            self.entered = False
            return True
        return False

    def under(self, graph):
        """A function that runs a graph under the mode, which PyTorch has disabled."""
        def run(*args, **kwargs):
            self.push(self.mode)
            try:
                return graph(*args, **kwargs)
            finally:
                self.pop()

        run._boxed_call = getattr(graph, "_boxed_call", False)
        return run


def through(operator):
    """Calls a higher-order operator (``cond``, ``while_loop``) from inside a mode. PyTorch disables the mode meanwhile;
    the graphs among the arguments run under it again, so that their operators are seen."""
    Module = sys.modules["torch"].nn.Module

    def call(*args, **kwargs):
        place = current.thread.place
        if place is None:
            return operator(*args, **kwargs)
        return operator(*(place.under(arg) if isinstance(arg, Module) else arg for arg in args), **kwargs)

    return call


def _push_and_pop():
    from torch.utils import _python_dispatch

    return _python_dispatch._push_mode, _python_dispatch._pop_mode


def _modes_are_called():
    """Whether the thread's operators are dispatched to its modes."""
    parts = sys.modules["torch"]._C
    return parts._dispatch_tls_is_dispatch_key_included(parts.DispatchKey.Python)


def _stack_length():
    return sys.modules["torch"]._C._len_torch_dispatch_stack()


def _last_mode():
    length = _stack_length()
    return sys.modules["torch"]._C._get_dispatch_stack_at(length - 1) if length else None
