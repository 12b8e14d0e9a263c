package io.inferscope.analyzer.launch;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pairs the operations of a replay with those of a capture that has one more or one fewer, as where a recorder lost an
 * event.
 *
 * <pre>
 *   capture   mm  relu  mm  relu  mm  relu
 *   replay    k1  k2    k1        k1  k2       all pairs up to the gap stand as they are, those behind it are moved by one
 * </pre>
 *
 * Of all places for the gap, the one counts that leaves the fewest different pairs of a kernel and an operator: models
 * repeat their layers, and a wrong gap pairs kernels with the operators of their neighbours. Where several places are
 * as good, a kernel has an operator if all of them give it the same one. Where kernels of one name still have several
 * operators, or few have any, nothing is claimed.
 */
final class GraphAlignment {
    /** Least share of operations that must have the same operator as most operations of their name. */
    private static final double CONSISTENT = 0.95;

    private final int[] kernels;
    private final int[] operators;
    private final int pairs;
    private final int kernelShift;
    private final int operatorShift;

    private GraphAlignment(int[] kernels, int[] operators) {
        this.kernels = kernels;
        this.operators = operators;
        pairs = Math.min(kernels.length, operators.length);
        kernelShift = kernels.length > pairs ? 1 : 0;
        operatorShift = operators.length > pairs ? 1 : 0;
    }

    /** Returns whether a replayed operation and a captured one are of one kind, by their places. */
    interface Fit {
        boolean test(int kernel, int operator);
    }

    /**
     * Returns the place in the capture by that in the replay, -1 for the operation without one; null if that is not
     * known.
     *
     * @param kernels names of the replayed operations
     * @param operators names of the operators of the captured ones
     */
    static int @Nullable [] align(int[] kernels, int[] operators, Fit fit) {
        return Math.abs(kernels.length - operators.length) == 1
                ? new GraphAlignment(kernels, operators).align(fit)
                : null;
    }

    private int @Nullable [] align(Fit fit) {
        Map<Long, Integer> bag = new HashMap<>();
        int misfits = 0;
        for (int i = 0; i < pairs; i++) {
            bag.merge(pair(i + kernelShift, i + operatorShift), 1, Integer::sum);
            misfits += fit.test(i + kernelShift, i + operatorShift) ? 0 : 1;
        }
        int best = Integer.MAX_VALUE;
        int first = -1;
        int last = -1;
        for (int gap = 0; gap <= pairs; gap++) {
            if (misfits == 0 && bag.size() <= best) {
                first = bag.size() < best ? gap : first;
                last = gap;
                best = bag.size();
            }
            if (gap < pairs) { // The pair behind the gap moves in front of it.
                bag.merge(pair(gap, gap), 1, Integer::sum);
                bag.computeIfPresent(
                        pair(gap + kernelShift, gap + operatorShift), (p, count) -> count == 1 ? null : count - 1);
                misfits += fit.test(gap, gap) ? 0 : 1;
                misfits -= fit.test(gap + kernelShift, gap + operatorShift) ? 0 : 1;
            }
        }
        return first < 0 ? null : consistent(places(first, last));
    }

    private long pair(int kernel, int operator) {
        return (long) kernels[kernel] << 32 | (operators[operator] & 0xffffffffL);
    }

    /** Behind the first gap pairs may be moved, in front of the last one they may stand as they are. */
    private int[] places(int firstGap, int lastGap) {
        int[] places = new int[kernels.length];
        for (int kernel = 0; kernel < kernels.length; kernel++) {
            int standing = kernel < lastGap ? kernel : -1;
            int moved = kernel - kernelShift < firstGap ? -1 : kernel - kernelShift + operatorShift;
            boolean sure = kernel < firstGap || kernel - kernelShift >= lastGap;
            boolean alike = standing >= 0 && moved >= 0 && operators[standing] == operators[moved];
            places[kernel] = sure ? Math.max(standing, moved) : alike ? standing : -1;
        }
        return places;
    }

    private int @Nullable [] consistent(int[] places) {
        Map<Long, Integer> bag = new HashMap<>();
        Map<Integer, Integer> most = new HashMap<>();
        for (int i = 0; i < places.length; i++) {
            if (places[i] >= 0) {
                most.merge(kernels[i], bag.merge(pair(i, places[i]), 1, Integer::sum), Math::max);
            }
        }
        long usual = most.values().stream().mapToLong(count -> count).sum();
        long known = Arrays.stream(places).filter(place -> place >= 0).count();
        return usual >= CONSISTENT * known && 2 * known >= pairs ? places : null;
    }
}
