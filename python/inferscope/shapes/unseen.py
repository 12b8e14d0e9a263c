"""Markers for work that a dispatch mode does not observe: compiled code, and replays of CUDA graphs.

``recording``: the process's recording; ``graph``: the number of a graph."""

from .. import _hook
from .._signals import pass_on
from .current import thread
from .log import CAPTURE_BEGIN, CAPTURE_END, REPLAY
from .mode import store_mark


def pause():
    """Leaves the mode before compiled code runs, which would run operator by operator under it. Returns the function
    that enters it again. Neither raises anything of its own."""
    place = thread.place
    try:
        if place is None or place.mode.book is None or not place.leave():
            return _nothing
        store_mark(place.mode.book, "COMPILED_CALL", place.forward_pass())
    except Exception as error:
        pass_on(error)
    return place.enter


def _nothing():
    pass


def begin_capture(recording, graph):
    """Records the operators of a CUDA graph while it is captured: its replays are not seen. Returns what
    ``end_capture`` needs."""
    if recording.over or recording.book is None and not recording.open(None):
        return None
    place = recording.place()
    before = place.mode.book
    place.mode.write_to(recording.book)
    store_mark(recording.book, "GRAPH_CAPTURE_START", place.forward_pass(), CAPTURE_BEGIN, graph=graph)
    return place, before, place.enter()


def end_capture(recording, graph, begun):
    """Ends the recording of a capture."""
    if begun is not None:
        place, before, entered = begun
        place.mode.write_to(before)
        if recording.book is not None:
            store_mark(recording.book, "GRAPH_CAPTURE_END", place.forward_pass(), CAPTURE_END, graph=graph)
        if entered:
            place.leave()


def replayed(graph):
    """Marks that a graph is about to be replayed on this thread."""
    place = thread.place
    if place is not None and place.mode.book is not None:
        store_mark(place.mode.book, "GRAPH_REPLAY", place.forward_pass(), REPLAY, graph=graph)


def problems(book):
    """Text -> how often, sorted: problems of the recorder, and its hooks that failed or have no target."""
    found = dict(book.problems)
    for state in _hook.states:
        if state.source.startswith("shapes:") and (state.failures or state.why):
            found["%s: %s" % (state.source, state.why or "failed")] = state.failures or 1
    return dict(sorted(found.items()))
