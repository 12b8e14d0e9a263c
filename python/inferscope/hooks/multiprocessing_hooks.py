"""Hand-overs between processes: connections (and the queues and pools made of them), start and join, subprocesses.

A connection is identified by the kernel's name of its pipe or sockets, which is equal in both processes. Items that
several processes write into one pipe have no number.
"""

import sys
from time import monotonic_ns

from .. import _recorder
from .._handover import both, descriptor_keys, give, started, take, waits
from .._hook import Hook
from .._injection import variables_for
from .._signals import pass_on
from .._spool_format import PIPE, START
from .threading_hooks import wrap_outer_get


def _keys(connection):
    """The connection's keys, found once per descriptor; None if its other end is unknown."""
    handle = connection._handle
    known = connection.__dict__.get("_inferscope_pipe")
    if known is None or known[0] != handle:
        try:
            keys = descriptor_keys(handle)
        except Exception as error:
            pass_on(error)
            keys = None
        known = connection._inferscope_pipe = (handle, keys)
    return known[1]


def wrap_send(original, hook, state):
    def _send_bytes(self, *args):
        try:
            if _recorder.current is not None:
                keys = _keys(self)
                if keys:
                    give(PIPE, "Connection", keys[0], 0, sys._getframe(1).f_back)
        except Exception as error:
            state.failed(error)
        return original(self, *args)

    return _send_bytes


def wrap_receive(original, hook, state):
    def _recv_bytes(self, *args):
        if _recorder.current is None:
            return original(self, *args)
        began_ns = waits.began_ns or self.__dict__.pop("_inferscope_polled", 0) or monotonic_ns()
        waits.began_ns = 0  # Counted once: what unpickling the item receives is another wait.
        result = original(self, *args)
        try:
            keys = _keys(self)
            if keys:
                take(PIPE, "Connection", keys[1], 0, began_ns, sys._getframe(1).f_back)
        except Exception as error:
            state.failed(error)
        return result

    return _recv_bytes


def wrap_poll(original, hook, state):
    """Stores when polling of the connection began, for the receive that follows. A poll that does not wait is no wait."""
    def _poll(self, *args, **kwargs):
        try:
            timeout = args[0] if args else kwargs.get("timeout")
            if _recorder.current is not None and (timeout is None or timeout > 0):
                self.__dict__.setdefault("_inferscope_polled", monotonic_ns())
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return _poll


def wrap_connection_wait(original, hook, state):
    def wait(object_list, *args, **kwargs):
        began_ns = monotonic_ns()
        ready = original(object_list, *args, **kwargs)
        try:
            for one in ready if _recorder.current is not None else ():
                if hasattr(one, "_recv_bytes"):
                    one.__dict__.setdefault("_inferscope_polled", began_ns)
        except Exception as error:
            state.failed(error)
        return ready

    return wait


def _pid_of(process):
    return getattr(process, "pid", None) or 0


def wrap_process_start(original, hook, state):
    """Start of a multiprocessing.Process or subprocess.Popen."""
    name = "%s start" % hook.path.partition(".")[0].replace("Base", "")

    def start(self, *args, **kwargs):
        began_ns = monotonic_ns()
        if len(args) == 1 or "args" in kwargs:  # of subprocess.Popen
            try:
                variables = variables_for(args[0] if args else kwargs["args"], kwargs)
                if variables is not None:
                    kwargs["env"] = variables
            except Exception as error:
                state.failed(error)
        result = original(self, *args, **kwargs)
        try:
            pid = _pid_of(self)
            if pid and _recorder.current is not None:
                started(START, name, began_ns, sys._getframe().f_back, pid, pid)
        except Exception as error:
            state.failed(error)
        return result

    return start


def wrap_process_wait(original, hook, state):
    """Waiting for the end of a process. The end is the giving, which the waiting thread records for the process."""
    name = "%s end" % hook.path.partition(".")[0].replace("Base", "")

    def ended(process):
        return process._popen.returncode is not None if hasattr(process, "_popen") else process.returncode is not None

    def wait(self, *args, **kwargs):
        try:
            skip = _recorder.current is None or waits.inside or ended(self)
        except Exception as error:
            state.failed(error)
            skip = True
        if skip:
            return original(self, *args, **kwargs)
        began_ns = monotonic_ns()
        waits.inside = True
        try:
            return original(self, *args, **kwargs)
        finally:
            waits.inside = False
            try:
                if ended(self):
                    pid = _pid_of(self)
                    both(START, name, began_ns, sys._getframe().f_back, pid, pid)
            except Exception as error:
                state.failed(error)

    return wait


_CONNECTION = "multiprocessing.connection"

HOOKS = (
    Hook(_CONNECTION, "Connection._send_bytes", wrap=wrap_send),
    Hook(_CONNECTION, "Connection._recv_bytes", wrap=wrap_receive),
    Hook(_CONNECTION, "Connection._poll", wrap=wrap_poll),
    Hook(_CONNECTION, "wait", wrap=wrap_connection_wait),
    Hook("multiprocessing.queues", "Queue.get", wrap=wrap_outer_get),
    Hook("multiprocessing.queues", "SimpleQueue.get", wrap=wrap_outer_get),
    Hook("multiprocessing.process", "BaseProcess.start", wrap=wrap_process_start),
    Hook("multiprocessing.process", "BaseProcess.join", wrap=wrap_process_wait),
    Hook("subprocess", "Popen.__init__", wrap=wrap_process_start),
    Hook("subprocess", "Popen.wait", wrap=wrap_process_wait),
    Hook("subprocess", "Popen.communicate", wrap=wrap_process_wait),
)
