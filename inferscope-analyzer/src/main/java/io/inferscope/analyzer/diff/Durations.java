package io.inferscope.analyzer.diff;

/**
 * Count and durations of one entity.
 *
 * @param count how often
 * @param totalNs the total duration
 * @param single each duration; computed only for changes that need it
 */
record Durations(long count, long totalNs, Single single) {
    private static final Single UNKNOWN = () -> new long[0];

    /** Supplies every duration in ns, in the order of time across all tracks; none if only sums are known. */
    @FunctionalInterface
    interface Single {
        long[] inTimeOrderNs();
    }

    /** Returns a sum without single durations. */
    static Durations summed(long count, long totalNs) {
        return new Durations(count, totalNs, UNKNOWN);
    }

    Durations plus(Durations other) {
        return summed(count + other.count, totalNs + other.totalNs);
    }
}
