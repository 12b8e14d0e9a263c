"""Wraps the methods that run a forward pass, so that the shape recorder knows where each begins and ends."""

from . import current


def forward_pass(stage, of_engine=False):
    """Makes a wrapper of a method. ``stage(owner, args, kwargs)`` returns (rank, PREFILL or DECODE or None, the
    engine's own term) for a call. If an engine defines forward passes, calls of modules do not count as any."""
    def wrap(original, hook, state):
        recording, thread = current.recording, current.thread
        recording.engine = recording.engine or of_engine

        def forward(self, *args, **kwargs):
            if thread.inside or recording.engine is not of_engine or recording.over and thread.place is None:
                return original(self, *args, **kwargs)
            place = None
            try:
                place = recording.begin(*stage(self, args, kwargs))
            except Exception as error:
                state.failed(error)
            try:
                return original(self, *args, **kwargs)
            finally:
                try:
                    recording.end(place)
                except Exception as error:
                    state.failed(error)

        return forward

    return wrap
