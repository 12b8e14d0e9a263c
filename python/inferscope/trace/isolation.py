"""Keeps a tracer's process from harming other processes, and from outliving the process that started it."""

import ctypes
import faulthandler
import fcntl
import os
import resource
import select
import signal

PR_SET_PDEATHSIG = 1
"""prctl(2)"""

F_SETSIG = 10
"""fcntl(2), asm-generic/fcntl.h; Python's module does not name it everywhere."""

MOST_LIKELY_OOM_VICTIM = 1000
"""proc(5), oom_score_adj"""


def enter(memory_limit_bytes, parent_fd=None):
    """Limits this process before anything large is imported.

    ``memory_limit_bytes`` caps what it may allocate, 0 for no cap: RLIMIT_DATA, because device drivers reserve far more
    addresses (RLIMIT_AS) than they use. ``parent_fd`` is a pipe that ends when the starter does.
    """
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)  # On a timeout, standard error tells where it hung.
    if memory_limit_bytes:
        resource.setrlimit(resource.RLIMIT_DATA, (memory_limit_bytes, memory_limit_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(str(MOST_LIKELY_OOM_VICTIM))
    except OSError:
        pass  # Then the kernel chooses by size, which is most often the same.
    if parent_fd is not None:
        _follow_parent(parent_fd)


def _follow_parent(parent_fd):
    """Ends the whole group with its starter: this process at once by the kernel, the others when the pipe ends.

    The kernel sends the signal (fcntl(2), F_SETOWN and F_SETSIG): a thread that waited here would stand in every profile.
    """
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass
    kept = os.dup(parent_fd)  # The traced program may close its standard input.
    fcntl.fcntl(kept, fcntl.F_SETOWN, -os.getpgid(0) if os.getpgid(0) == os.getpid() else os.getpid())
    fcntl.fcntl(kept, F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(kept, fcntl.F_SETFL, fcntl.fcntl(kept, fcntl.F_GETFL) | os.O_ASYNC)
    ended = select.poll()
    ended.register(kept, select.POLLHUP)
    if ended.poll(0):  # Before the kernel knew whom to tell.
        os.kill(os.getpid(), signal.SIGKILL)
