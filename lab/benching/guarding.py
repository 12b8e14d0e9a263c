"""The conclusions of `bench guard` from its rounds: whether a measure became worse, and with which commit."""

import collections
import re
import statistics

from measuring import confident

LIMIT = 1.03

# `ratio` and `control` are medians with the interval in which the median lies with 95 % confidence: (median, low, high).
Judged = collections.namedtuple("Judged", "measure base this ratio control outcome")


def judge(measure, rounds):
    """Judges rounds of (base, base again, this). A measure is "worse" where the low end of the ratio's interval is above the limit, counted from
    base again's high end; where base again is within the limit, counting from its median suffices, if the low end is also above its high end.
    It is "unjudged" where it is not worse and base again differs from base by more than the limit, or may cost as much as this."""
    base, again, this = zip(*rounds)
    ratio, control = interval(this, base), interval(again, base)
    differs = control[1] > LIMIT or control[2] < 1 / LIMIT
    # A drift from round to round is in the control too.
    is_beyond = ratio[1] > LIMIT * max(1.0, control[0])
    if ratio[1] > LIMIT * max(1.0, control[2]) or (is_beyond and not differs and ratio[1] > control[2]):
        outcome = "worse"
    elif differs or is_beyond:
        outcome = "unjudged"
    else:
        outcome = "better" if ratio[2] < min(1.0, control[0]) / LIMIT else "same"
    return Judged(measure, statistics.median(base), statistics.median(this), ratio, control, outcome)


def unjudged(found):
    """Returns a line that says how many measures could not be judged, and which; empty where all could."""
    names = [one.measure for one in found if one.outcome == "unjudged"]
    return "%d of %d measures could not be judged: %s" % (len(names), len(found), "; ".join(names)) if names else ""


def interval(ones, others):
    ratios = sorted(one / other for one, other in zip(ones, others))
    return (statistics.median(ratios), *confident(ratios))


def first_worse(commits, ratio_of, whole):
    """Returns the first commit, the oldest first, from which on the ratio to the base is nearer to that of the last commit, `whole`, than to 1.

    If several commits add to a cost, the commit that crosses its middle is named, although its neighbours may have a part."""
    middle = (1 + whole) / 2
    low, high = 0, len(commits) - 1  # The last one is known to be worse.
    while low < high:
        at = (low + high) // 2
        if ratio_of(commits[at]) > middle:
            high = at
        else:
            low = at + 1
    return commits[high]


LOG = "gc,gc+heap=info,gc+exit=info,gc+heap+exit=info"
# The generations in KiB; the line of the pause gives whole MiB, and half of one is 4 % of what a small file takes.
COLLECTED = re.compile(r"GC\(\d+\) (?:DefNew|Tenured): (\d+)K\(\d+K\)->(\d+)K")
# "def new generation" up to JDK 24, "DefNew" later.
LEFT = re.compile(r"(?:generation|DefNew|Tenured)\s+total \d+K, used (\d+)K")


def allocated_mib(log):
    """MiB that a JVM allocated, by its log (see LOG) with the serial collector: what the heap grew by between collections."""
    freed = sum(int(found[1]) - int(found[2]) for found in COLLECTED.finditer(log))
    left = [int(found[1]) for found in LEFT.finditer(log)]
    if not left:
        raise ValueError("the log does not say what was left in the heap")
    return (freed + sum(left)) / 1024
