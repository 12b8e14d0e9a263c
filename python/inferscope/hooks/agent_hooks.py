"""Pauses the CUDA agent while torch.profiler or JAX's profiler records the device, because a process has one receiver of CUPTI's records, and
while PyTorch's monitor subscribes.

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


def initialise_cuda():
    """Does what PyTorch's monitor does first when it turns on tracing in hardware, so that the driver has loaded the agent."""
    import ctypes

    ctypes.CDLL("libcuda.so.1").cuInit(0)


def stepped_aside(state, initialise, pause="inferscope_agent_pause_receiver"):
    """The agent, if it stepped aside, unless told otherwise for a profiler that can record beside it where CUPTI allows that; else None."""
    try:
        library = agent()
        if library is None and initialise is not None and os.environ.get("CUDA_INJECTION64_PATH", "").endswith(AGENT):
            initialise()
            library = agent()
        if library is not None and not getattr(library, pause)():
            library = None
        state.recorded += library is not None
        return library
    except Exception as error:
        state.failed(error)
        return None


def wrap_start_trace(original, hook, state):
    def start_trace(*args, **kwargs):
        library = stepped_aside(state, initialise_jax)
        try:
            result = original(*args, **kwargs)
        except BaseException:
            if library is not None:
                library.inferscope_agent_resume()
            raise
        _paused_for_jax.extend([library] if library is not None else [])
        return result

    return start_trace


def wrap_start_monitor(original, hook, state):
    """PyTorch's own monitor subscribes and stays. The agent becomes a subscriber beside it, or the report says that the monitor was refused."""

    def start(self, *args, **kwargs):
        library = stepped_aside(state, None)
        try:
            result = original(self, *args, **kwargs)
        except BaseException:
            if library is not None:
                library.inferscope_agent_stay()
            raise
        if library is not None:
            library.inferscope_agent_resume()
        return result

    return start


def wrap_hardware_tracing(original, hook, state):
    """Flushes beside PyTorch's tracing in hardware (HES) corrupt memory in some versions, where the agent then ends its recording."""

    def enable_hes_early(*args, **kwargs):
        library = stepped_aside(state, initialise_cuda, "inferscope_agent_pause")
        try:
            result = original(*args, **kwargs)
        except BaseException:
            if library is not None:
                library.inferscope_agent_resume()
            raise
        if library is not None:
            library.inferscope_agent_resume_beside_hardware()
        return result

    return enable_hes_early


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
    Hook("torch.profiler._cupti.monitor", "CuptiMonitor.start", wrap=wrap_start_monitor, optional=True, purpose="agent"),
    Hook("torch.profiler._cupti.monitor", "enable_hes_early", wrap=wrap_hardware_tracing, optional=True, purpose="agent"),
    Hook("torch.autograd.profiler", "profile._prepare_trace", wrap=wrap_prepare, purpose="agent"),
    Hook("torch.autograd.profiler", "profile.__exit__", wrap=wrap_exit, purpose="agent"),
)
