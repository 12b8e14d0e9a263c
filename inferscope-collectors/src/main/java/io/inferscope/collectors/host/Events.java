package io.inferscope.collectors.host;

/** What the kernel counted of a thread in an interval: page faults with and without reading from a device, context switches by kind. */
record Events(int majorFaults, int minorFaults, int voluntarySwitches, int involuntarySwitches) {
    static final Events NONE = new Events(0, 0, 0, 0);

    static Events of(int majorFaults, int minorFaults, int voluntarySwitches, int involuntarySwitches) {
        Events events = new Events(majorFaults, minorFaults, voluntarySwitches, involuntarySwitches);
        return events.isNone() ? NONE : events;
    }

    private boolean isNone() {
        return (majorFaults | minorFaults | voluntarySwitches | involuntarySwitches) == 0;
    }

    Events plus(Events more) {
        if (more.isNone()) {
            return this;
        }
        return new Events(
                majorFaults + more.majorFaults,
                minorFaults + more.minorFaults,
                voluntarySwitches + more.voluntarySwitches,
                involuntarySwitches + more.involuntarySwitches);
    }
}
