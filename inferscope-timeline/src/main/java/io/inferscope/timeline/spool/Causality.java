package io.inferscope.timeline.spool;

import io.inferscope.timeline.TimelineBuilder;

/** How far device stamps contradict the calls that caused them: nothing starts before it is launched. */
final class Causality {
    private final TimelineBuilder builder;
    private long worstNs;

    Causality(TimelineBuilder builder) {
        this.builder = builder;
    }

    /** Takes an operation and the call that submitted it. */
    void add(int call, int operation) {
        if (builder.kindAt(operation).isDeviceOperation()) {
            worstNs = Math.max(worstNs, builder.startNsAt(call) - builder.startNsAt(operation));
        }
    }

    /** Returns by how many ns at most an operation starts before its call does: an error that no reading of clocks shows. */
    long worstNs() {
        return worstNs;
    }
}
