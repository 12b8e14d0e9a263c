"""Pauses the CUDA agent while torch.profiler records the device, because a process has one receiver of CUPTI's records.

Without this the agent's flushes would take buffers from Kineto, and the agent would stay without records afterwards.
"""

import os

from .._hook import Hook
from .._signals import pass_on

AGENT = "/libinferscope-agent.so"


def agent():
    """The agent loaded by the driver; None if it was not loaded."""
    path = os.environ.get("CUDA_INJECTION64_PATH", "")
    if not path.endswith(AGENT):
        return None
    import ctypes

    try:
        return ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError as error:
        pass_on(error)
        return None


def records_a_device(profile):
    """Whether Kineto will register for the device's records: every activity except the CPU's is a device's."""
    return any(getattr(one, "name", "CPU") != "CPU" for one in getattr(profile, "kineto_activities", ()))


def wrap_prepare(original, hook, state):
    def _prepare_trace(self, *args, **kwargs):
        try:
            library = agent() if records_a_device(self) else None
            if library is not None and library.inferscope_agent_pause():
                self._inferscope_agent = library
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        return original(self, *args, **kwargs)

    return _prepare_trace


def wrap_exit(original, hook, state):
    def __exit__(self, *args, **kwargs):
        try:
            return original(self, *args, **kwargs)
        finally:
            try:
                library = self.__dict__.pop("_inferscope_agent", None)
                if library is not None:
                    library.inferscope_agent_resume()
            except Exception as error:
                state.failed(error)

    return __exit__


HOOKS = (
    Hook("torch.autograd.profiler", "profile._prepare_trace", wrap=wrap_prepare, purpose="agent"),
    Hook("torch.autograd.profiler", "profile.__exit__", wrap=wrap_exit, purpose="agent"),
)
