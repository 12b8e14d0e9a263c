package io.inferscope.collectors.host;

/**
 * What the kernel counted of a thread in an interval: page faults with and without reading from a device, context
 * switches by kind.
 */
record FaultsAndSwitches(int majorFaults, int minorFaults, int voluntarySwitches, int involuntarySwitches) {
    static final FaultsAndSwitches NONE = new FaultsAndSwitches(0, 0, 0, 0);

    static FaultsAndSwitches of(int majorFaults, int minorFaults, int voluntarySwitches, int involuntarySwitches) {
        FaultsAndSwitches events =
                new FaultsAndSwitches(majorFaults, minorFaults, voluntarySwitches, involuntarySwitches);
        return events.isNone() ? NONE : events;
    }

    private boolean isNone() {
        return (majorFaults | minorFaults | voluntarySwitches | involuntarySwitches) == 0;
    }

    FaultsAndSwitches plus(FaultsAndSwitches more) {
        if (more.isNone()) {
            return this;
        }
        return new FaultsAndSwitches(
                majorFaults + more.majorFaults,
                minorFaults + more.minorFaults,
                voluntarySwitches + more.voluntarySwitches,
                involuntarySwitches + more.involuntarySwitches);
    }
}
