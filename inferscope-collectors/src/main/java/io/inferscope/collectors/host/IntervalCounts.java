package io.inferscope.collectors.host;

/**
 * What the kernel counted of a thread in an interval: page faults with and without reading from a device, context
 * switches by kind.
 */
record IntervalCounts(int majorFaults, int minorFaults, int voluntarySwitches, int involuntarySwitches) {
    static final IntervalCounts NONE = new IntervalCounts(0, 0, 0, 0);

    static IntervalCounts of(int majorFaults, int minorFaults, int voluntarySwitches, int involuntarySwitches) {
        IntervalCounts events = new IntervalCounts(majorFaults, minorFaults, voluntarySwitches, involuntarySwitches);
        return events.isNone() ? NONE : events;
    }

    private boolean isNone() {
        return (majorFaults | minorFaults | voluntarySwitches | involuntarySwitches) == 0;
    }

    IntervalCounts plus(IntervalCounts more) {
        if (more.isNone()) {
            return this;
        }
        return new IntervalCounts(
                majorFaults + more.majorFaults,
                minorFaults + more.minorFaults,
                voluntarySwitches + more.voluntarySwitches,
                involuntarySwitches + more.involuntarySwitches);
    }
}
