package io.inferscope.analyzer.diff;

/**
 * How often something happened and how long it took.
 *
 * @param count how often
 * @param totalNs how long, summed
 * @param single each one's length, asked for only where a change is worth it
 */
record Durations(long count, long totalNs, Single single) {
    private static final Single UNKNOWN = () -> new long[0];

    /** Gives every duration in ns, in the order of time whatever the order of the tracks; none where single ones are not known. */
    @FunctionalInterface
    interface Single {
        long[] inTimeOrderNs();
    }

    /** Returns a sum of which the parts are not known. */
    static Durations summed(long count, long totalNs) {
        return new Durations(count, totalNs, UNKNOWN);
    }

    Durations plus(Durations other) {
        return summed(count + other.count, totalNs + other.totalNs);
    }
}
