package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.StepTables.StepFigures;
import java.util.Arrays;
import java.util.List;

/**
 * Steps of one kind: from a recording with each step's length, from a report with count and median only.
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
        long[] durationsNs = lengthsNs.stream().mapToLong(Long::longValue).toArray();
        long[] sorted = durationsNs.clone();
        Arrays.sort(sorted);
        return new StepLengths(
                sorted.length,
                sorted.length == 0 ? 0 : sorted[(sorted.length - 1) / 2],
                Arrays.stream(sorted).sum(),
                durationsNs);
    }

    static StepLengths of(StepFigures figures) {
        return new StepLengths(figures.count(), figures.medianNs(), figures.count() * figures.medianNs(), new long[0]);
    }

    @Override
    public long[] durationsNs() {
        return durationsNs.clone();
    }
}
