package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Intervals;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/** The steps of the judged part, and counts of rows per step. */
final class Steps {
    private final List<Step> steps;
    private final long[] counts;

    private Steps(List<Step> steps) {
        this.steps = steps;
        this.counts = new long[steps.size()];
    }

    /** Returns the steps that lie in the judged part. */
    static Steps judged(Analysis analysis) {
        Stretch part = analysis.judged().stretch();
        return new Steps(analysis.steps().stream()
                .filter(step -> step.endNs() > part.startNs() && step.startNs() < part.endNs())
                .toList());
    }

    int size() {
        return steps.size();
    }

    /** Counts the wanted rows of {@code rows} by the step in which they start. */
    Steps count(Analysis analysis, int[] rows, IntPredicate wanted) {
        Arrays.fill(counts, 0);
        for (int row : rows) {
            if (wanted.test(row)) {
                int step = at(analysis.timeline().startNs(row));
                if (step >= 0) {
                    counts[step]++;
                }
            }
        }
        return this;
    }

    /** Returns the median of the last count, the larger of two middle ones; 0 without steps. */
    long median() {
        long[] sorted = counts.clone();
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    /** Returns how many steps contain some of these times. */
    long with(Intervals times) {
        return steps.stream()
                .filter(step -> times.totalWithinNs(step.startNs(), step.endNs()) > 0)
                .count();
    }

    /** Returns the number of the step at a time, -1 for none. */
    int at(long ns) {
        int next = BinarySearch.first(0, steps.size(), i -> steps.get(i).endNs() > ns);
        return next < steps.size() && steps.get(next).startNs() <= ns ? next : -1;
    }
}
