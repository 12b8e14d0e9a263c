package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.rules.Runs.Run;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether requests or steps get longer from the first to the last, all the time rather than once. The first tenth is
 * left out.
 *
 * <pre>
 *   medians of five parts   2 3 4 5 6   grows
 *                           2 2 2 6 6   another phase
 *                           2 5 6 6 6   settles
 *                           2 4 3 5 4   varies
 * </pre>
 */
final class Growth {
    static final int PARTS = 5;

    /** Warm-up: this part of them is left out. */
    private static final int LEFT_OUT = 10;

    /** Least growth from each part to the next, relative to an even pace. */
    private static final double LEAST_OF_EVEN = 0.1;

    /** Most growth from one part to the next, relative to the whole: a jump has all of it. */
    private static final double MOST_AT_ONCE = 0.7;

    /** The medians of so many parts must follow their order: single lengths vary too much. */
    private static final int BLOCKS = 20;

    /** Least rank correlation of those medians with their order. */
    private static final double LEAST_CORRELATION = 0.6;

    /** What takes longer than this multiple of the median of its part says nothing about growth. */
    private static final int OUTLIER = 3;

    private final List<Run> runs;
    private final long[] mediansNs;

    Growth(List<Run> all) {
        runs = all.subList(all.size() / LEFT_OUT, all.size());
        mediansNs = mediansNs(PARTS);
    }

    private long[] mediansNs(int parts) {
        long[] medians = new long[parts];
        for (int i = 0; i < parts; i++) {
            Percentiles lengthsNs = new Percentiles();
            part(i, parts).forEach(run -> lengthsNs.add(run.ns()));
            medians[i] = lengthsNs.percentile(50);
        }
        return medians;
    }

    private List<Run> part(int part, int parts) {
        return runs.subList(part * runs.size() / parts, (part + 1) * runs.size() / parts);
    }

    /** Returns those of the first two parts, without outliers. */
    List<Run> early() {
        return Stream.of(0, 1).flatMap(this::usual).toList();
    }

    /** Returns those of the last two parts, without outliers. */
    List<Run> late() {
        return Stream.of(PARTS - 2, PARTS - 1).flatMap(this::usual).toList();
    }

    private Stream<Run> usual(int part) {
        return part(part, PARTS).stream().filter(run -> run.ns() <= OUTLIER * mediansNs[part]);
    }

    long medianNs(int part) {
        return mediansNs[part];
    }

    /** Returns the median of the last part as a multiple of that of the first. */
    double ratio() {
        return (double) mediansNs[PARTS - 1] / Math.max(1, mediansNs[0]);
    }

    /** Returns what all of them take longer than the median of the first part. */
    long costNs() {
        return Math.max(
                0, runs.stream().mapToLong(run -> run.ns() - mediansNs[0]).sum());
    }

    /** Returns whether they grow all the time. */
    boolean isSteady() {
        long grownNs = mediansNs[PARTS - 1] - mediansNs[0];
        for (int i = 1; i < PARTS; i++) {
            long ns = mediansNs[i] - mediansNs[i - 1];
            if (ns <= LEAST_OF_EVEN * grownNs / (PARTS - 1) || ns > MOST_AT_ONCE * grownNs) {
                return false;
            }
        }
        return correlation() >= LEAST_CORRELATION;
    }

    /** Returns Spearman's rank correlation of the blocks' medians with their order; equal medians share a rank. */
    private double correlation() {
        long[] medians = mediansNs(BLOCKS);
        double mean = (BLOCKS - 1) / 2.0;
        double both = 0;
        double ofRanks = 0;
        double ofOrder = 0;
        for (int i = 0; i < BLOCKS; i++) {
            double rank = -mean;
            for (long other : medians) {
                rank += other < medians[i] ? 1 : other == medians[i] ? 0.5 : 0;
            }
            rank -= 0.5; // It is equal to itself.
            both += rank * (i - mean);
            ofRanks += rank * rank;
            ofOrder += (i - mean) * (i - mean);
        }
        return ofRanks == 0 ? 0 : both / Math.sqrt(ofRanks * ofOrder);
    }
}
