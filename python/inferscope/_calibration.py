"""How much of its work the probe does again in every second period, so that it takes as long as the whole call."""

from time import monotonic_ns, thread_time_ns

from . import _hook, _recorder, _scope, _spool
from ._recorder import USER_SPAN_HEADER, Recorder, Twice
from ._spool_format import PROFILER, SPAN_HEADER


def calibrate():
    """Finds out how many spans to store again. The CPU time of a call that is recorded is compared with that of one that is
    not, and with those of calls for which one and two spans are stored again."""
    scratch, off, before = Twice(_spool.Endless(), 0), 1 << 62, _recorder.current
    scratch.again = Recorder(_spool.Endless(), 0)
    on = monotonic_ns() * 2 // 3  # Its second period, the odd one, lasts until the time has doubled.
    state = _hook.State("")
    state.word = scratch.begin("calibration", PROFILER, None)  # Any: it counts there as in its record.
    hooked = _hook.wrap(_nothing, _hook.Hook("", "", "calibration", PROFILER), state)
    places = {"scope": _scope.scope}
    exec(compile(_CALLS, "calibration.py", "exec"), places)
    found = {}
    try:
        for header, call, bare in (SPAN_HEADER, hooked, _nothing), (USER_SPAN_HEADER, places["scoped"], places["scoped"]):
            costs = []
            for recorder, one, period_ns, count in (None, bare, off, 0), (scratch, call, off, 0), (scratch, call, on, 1), (scratch, call, on, 2):
                _recorder.current, scratch.period_ns, Twice.times = recorder, period_ns, {header: count}
                costs.append(_cost_ns(places["repeat"], one))
            off_ns, once_ns, twice_ns, thrice_ns = costs
            found[header] = max(1, 1 + (2 * once_ns - off_ns - twice_ns) / max(1, thrice_ns - twice_ns))
    finally:
        _recorder.current, Twice.times = before, found


def _nothing():
    pass


# With a file's name of its own, because places in InferScope's files are looked up at length.
_CALLS = """
def repeat(call, count):
    for _ in range(count):
        call()

def scoped():
    with scope("calibration"):
        pass
"""


def _cost_ns(repeat, call, batches=9, count=100):
    """The CPU time of a call, which does not depend on other load: the least of batches."""
    costs = []
    for _ in range(batches):
        start_ns = thread_time_ns()
        repeat(call, count)
        costs.append(thread_time_ns() - start_ns)
    return min(costs) / count
