package io.inferscope.analyzer.steps;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A thread's or device's work, divided at exchanges with the host into pieces; finds after how many pieces it recurs.
 *
 * <pre>
 *   work       a b b b c D    a b b b c D    a b b b c D     D: an exchange with the program that steers the work
 *   pieces     [  x     ]     [  x     ]     [  x     ]      equal multisets of names
 *   steps      111111111122222222222222233333333333333
 * </pre>
 *
 * <p>Work that recurs without an exchange is layers. Pieces are compared as multisets of names; a step is the smallest
 * number of pieces after which they recur. A changed name, as when a context grows, breaks only one comparison.
 */
final class WorkBetweenExchanges {
    private static final int MOST_PIECES = 64;
    private static final int LEAST_STEPS = 5;
    private static final int LEAST_OPERATIONS = 3;
    private static final double EQUAL = 0.8;

    private final long[] endsNs;
    private final long[] hashes;
    private final int[] operations;

    /**
     * Takes ownership of equally long arrays, by piece: its end, the sum of {@link #mixed} over its names, the number
     * of its names.
     */
    WorkBetweenExchanges(long[] endsNs, long[] hashes, int[] operations) {
        int kept = 0;
        for (int i = 0; i < endsNs.length; i++) {
            if (operations[i] > 0) {
                hashes[kept] = hashes[i];
                operations[kept] = operations[i];
                endsNs[kept++] = endsNs[i];
            } else if (kept > 0) {
                endsNs[kept - 1] = Math.max(endsNs[kept - 1], endsNs[i]);
            }
        }
        this.endsNs = Arrays.copyOf(endsNs, kept);
        this.hashes = Arrays.copyOf(hashes, kept);
        this.operations = Arrays.copyOf(operations, kept);
    }

    /** Spreads a name id over 64 bits (the finaliser of SplitMix64), so that sums distinguish multisets. */
    static long mixed(int nameId) {
        long z = (nameId + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Returns the loop of a track, empty when the pieces do not recur. */
    Optional<Loop> loop(Loop.Source source, int track) {
        int period = period();
        return period == 0 ? Optional.empty() : Optional.of(new Loop(source, track, steps(period)));
    }

    /**
     * Returns after how many pieces they recur, 0 if they do not. The first quarter is ignored, because it may be
     * start-up.
     */
    private int period() {
        int from = hashes.length / 4;
        for (int period = 1; period <= MOST_PIECES && (hashes.length - from) >= LEAST_STEPS * period; period++) {
            int equal = 0;
            for (int i = from; i + period < hashes.length; i++) {
                equal += hashes[i] == hashes[i + period] ? 1 : 0;
            }
            if (equal >= EQUAL * (hashes.length - from - period) && operationsFrom(from, period) >= LEAST_OPERATIONS) {
                return period;
            }
        }
        return 0;
    }

    private long operationsFrom(int from, int period) {
        long sum = 0;
        for (int i = hashes.length - period; i < hashes.length; i++) {
            sum += operations[Math.max(from, i)];
        }
        return sum;
    }

    /** A step begins with the piece that holds most. */
    private List<Step> steps(int period) {
        long[] held = new long[period];
        for (int i = 0; i < hashes.length; i++) {
            held[i % period] += operations[i];
        }
        int first = 0;
        for (int i = 1; i < period; i++) {
            first = held[i] > held[first] ? i : first;
        }
        List<Step> steps = new ArrayList<>();
        for (int i = first; i + period <= hashes.length; i += period) {
            if (i > 0) {
                steps.add(new Step("step", "", endsNs[i - 1], endsNs[i + period - 1], null));
            }
        }
        return steps;
    }
}
