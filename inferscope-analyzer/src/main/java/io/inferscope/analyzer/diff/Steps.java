package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.analyzer.steps.Step;
import java.util.Arrays;
import java.util.List;

/** Steps of one kind: from a recording with each step's length, from a report with count and median only. */
final class Steps {
    static final Steps NONE = of(List.of());

    private final long count;
    private final long medianNs;
    private final long totalNs;
    private final long[] durationsNs;

    private Steps(long count, long medianNs, long totalNs, long[] durationsNs) {
        this.count = count;
        this.medianNs = medianNs;
        this.totalNs = totalNs;
        this.durationsNs = durationsNs;
    }

    static Steps of(List<Step> steps) {
        long[] durationsNs = steps.stream().mapToLong(Step::durationNs).toArray();
        long[] sorted = durationsNs.clone();
        Arrays.sort(sorted);
        return new Steps(
                sorted.length,
                sorted.length == 0 ? 0 : sorted[(sorted.length - 1) / 2],
                Arrays.stream(sorted).sum(),
                durationsNs);
    }

    static Steps of(StepFigures figures) {
        return new Steps(figures.count(), figures.medianNs(), figures.count() * figures.medianNs(), new long[0]);
    }

    long count() {
        return count;
    }

    /** Returns the median length, the shorter of two middle ones; 0 without steps. */
    long medianNs() {
        return medianNs;
    }

    /** Returns the sum of their lengths; from a report, the median times the number. */
    long totalNs() {
        return totalNs;
    }

    /** Returns each step's length in the order of time; none if only a report exists. */
    long[] durationsNs() {
        return durationsNs.clone();
    }
}
