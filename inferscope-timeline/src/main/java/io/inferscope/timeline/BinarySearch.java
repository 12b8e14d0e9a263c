package io.inferscope.timeline;

import java.util.function.IntPredicate;

/** Binary search over numbers. */
public final class BinarySearch {
    private BinarySearch() {}

    /**
     * Returns the first number from {@code from} on for which a condition holds, {@code to} if it holds for none below.
     * Once it holds, it must hold for all that follow.
     */
    public static int first(int from, int to, IntPredicate holds) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (holds.test(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
