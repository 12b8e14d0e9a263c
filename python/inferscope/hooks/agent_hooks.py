"""Pauses the CUDA agent while torch.profiler or JAX's profiler records the device, because a process has one receiver of CUPTI's records.

Without this the agent's flushes would take buffers from Kineto, and the agent would stay without records afterwards. After JAX's profile, CUPTI would
ask JAX for buffers for the kinds of records that the agent turned on, and JAX has none then.
"""

import os
import sys

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


def initialise_jax():
    """Does what jax.profiler.start_trace does first, so that the driver has loaded the agent."""
    sys.modules["jax._src.xla_bridge"].get_backend()


_paused_for_jax = []


def wrap_start_trace(original, hook, state):
    def start_trace(*args, **kwargs):
        library = None
        try:
            library = agent()
            if library is None and os.environ.get("CUDA_INJECTION64_PATH", "").endswith(AGENT):
                initialise_jax()
                library = agent()
            if library is not None and not library.inferscope_agent_pause_receiver():
                library = None
            state.recorded += library is not None
        except Exception as error:
            state.failed(error)
        try:
            result = original(*args, **kwargs)
        except BaseException:
            if library is not None:
                library.inferscope_agent_resume()
            raise
        _paused_for_jax.extend([library] if library is not None else [])
        return result

    return start_trace


def wrap_stop_trace(original, hook, state):
    def stop_trace(*args, **kwargs):
        try:
            return original(*args, **kwargs)
        finally:
            try:
                while _paused_for_jax:
                    _paused_for_jax.pop().inferscope_agent_resume()
            except Exception as error:
                state.failed(error)

    return stop_trace


HOOKS = (
    Hook("jax._src.profiler", "start_trace", wrap=wrap_start_trace, optional=True, purpose="agent"),
    Hook("jax._src.profiler", "stop_trace", wrap=wrap_stop_trace, optional=True, purpose="agent"),
    Hook("torch.autograd.profiler", "profile._prepare_trace", wrap=wrap_prepare, purpose="agent"),
    Hook("torch.autograd.profiler", "profile.__exit__", wrap=wrap_exit, purpose="agent"),
)
