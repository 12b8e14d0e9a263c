"""The current recording of this process, and the state of the calling thread."""

from _thread import _local

PREFILL, DECODE, FIRST = "PREFILL", "DECODE", "FIRST"


class _Thread(_local):
    """place: the thread's mode and where it stands; inside: whether a forward pass is open; generating: whether the
    thread is in ``generate``, and stage: PREFILL while that reads the prompt, FIRST before its first pass in versions
    that do not tell the two apart."""

    place, inside, stage, generating = None, False, None, False


thread = _Thread()
recording = None
"""The process's ``Recording``, or None before torch is imported."""
