"""What keeps a tracer's process from harming others, and from outliving the one that started it."""

import ctypes
import faulthandler
import os
import resource
import signal
import threading

PR_SET_PDEATHSIG = 1
"""prctl(2)"""

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
    """Ends the whole group with its starter: at once by the kernel, and all descendants by a thread that waits for the pipe's end."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass

    def wait():
        try:
            while os.read(parent_fd, 64):
                pass
        except OSError:
            pass
        if os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, name="inferscope-parent", daemon=True).start()
