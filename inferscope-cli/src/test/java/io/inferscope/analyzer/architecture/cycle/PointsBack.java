package io.inferscope.analyzer.architecture.cycle;

import io.inferscope.analyzer.architecture.BreaksEveryRule;

/** Makes a cycle of two packages with {@link BreaksEveryRule}. */
public final class PointsBack {
    private PointsBack() {}

    /** Uses the class that uses this one. */
    public static Class<?> back() {
        return BreaksEveryRule.class;
    }
}
