package io.inferscope.timeline.spool;

import io.inferscope.timeline.TimelineBuilder;

/** Measures how far device stamps contradict their calls: no operation starts before its call. */
final class EarlyStarts {
    private final TimelineBuilder builder;
    private long worstNs;

    EarlyStarts(TimelineBuilder builder) {
        this.builder = builder;
    }

    /** Takes an operation and the call that submitted it. */
    void add(int call, int operation) {
        if (builder.kindAt(operation).isDeviceOperation()) {
            worstNs = Math.max(worstNs, builder.startNsAt(call) - builder.startNsAt(operation));
        }
    }

    /** Returns the most ns by which an operation starts before its call: an error that clock readings do not show. */
    long worstNs() {
        return worstNs;
    }
}
