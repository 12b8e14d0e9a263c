package io.inferscope.analyzer.diff;

import java.util.Arrays;
import java.util.List;

/**
 * Steps, or requests, of one kind: from a recording with each step's length, from a report with count and median only.
 *
 * @param count how many
 * @param medianNs the median length, the shorter of two middle ones; 0 without steps
 * @param totalNs the sum of their lengths; from a report, the median times the number
 * @param durationsNs each step's length in the order of time; none if only a report exists
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record StepLengths(long count, long medianNs, long totalNs, long[] durationsNs) {
    static final StepLengths NONE = of(List.of());

    static StepLengths of(List<Long> lengthsNs) {
        return of(lengthsNs.stream().mapToLong(Long::longValue).toArray());
    }

    static StepLengths of(long[] durationsNs) {
        long[] sorted = durationsNs.clone();
        Arrays.sort(sorted);
        return new StepLengths(
                sorted.length,
                sorted.length == 0 ? 0 : sorted[(sorted.length - 1) / 2],
                Arrays.stream(sorted).sum(),
                durationsNs);
    }

    /** Returns those of which only number and median are known. */
    static StepLengths of(long count, long medianNs) {
        return new StepLengths(count, medianNs, count * medianNs, new long[0]);
    }

    @Override
    public long[] durationsNs() {
        return durationsNs.clone();
    }
}
