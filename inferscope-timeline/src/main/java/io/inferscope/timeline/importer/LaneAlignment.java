package io.inferscope.timeline.importer;

import io.inferscope.timeline.Order;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Aligns the launches of a stream, or of a graph, with its operations, both in order. A pair counts if every alignment
 * of the most pairs contains it.
 *
 * <p>Without losses both sides are equally long and fit one by one. If only one side lost records, the shorter side is a
 * subsequence of the longer: the earliest and the latest way of placing it bound all others, in linear time. If only the
 * ends of the recording cut something off, each cut shows which ones are pairs. Otherwise
 * the longest common subsequences are counted from both ends, in quadratic time, up to {@link #MOST_CELLS}
 * pairs of positions.
 */
final class LaneAlignment {
    /** 32 MB. */
    private static final int MOST_CELLS = 1 << 24;

    /** How many overlapping calls of other threads may be passed. */
    private static final int MOST_PASSED = 64;

    /** How many calls that overlap one call are compared with it, so that many at once take no quadratic time. */
    private static final int MOST_COMPARED = 256;

    private static final int NONE = -1;

    /**
     * A launch or an operation.
     *
     * @param order what sorts its side
     * @param group of a launch, the thread; of a graph's operation, the node; otherwise 0
     * @param name {@link LaunchMatcher#ANY_NAME} if not known
     * @param size {@link LaunchMatcher#ANY_SIZE} if not known
     */
    record Entry(
            int row, long order, long startNs, long endNs, long group, LaunchMatcher.Work work, int name, long size) {
        /** Returns whether the two may be one piece of work. */
        boolean resembles(Entry other) {
            return work == other.work
                    && (name == LaunchMatcher.ANY_NAME || other.name == LaunchMatcher.ANY_NAME || name == other.name)
                    && (size == LaunchMatcher.ANY_SIZE || other.size == LaunchMatcher.ANY_SIZE || size == other.size);
        }

        /** Returns whether the two are records of one call or operation. */
        boolean isTwinOf(Entry other) {
            return order == other.order
                    && startNs == other.startNs
                    && endNs == other.endNs
                    && group == other.group
                    && work == other.work
                    && name == other.name
                    && size == other.size;
        }

        boolean overlapsInAnotherThread(Entry other) {
            return group != other.group && startNs < other.endNs && other.startNs < endNs;
        }
    }

    /** A wait of the host until all earlier work was done. */
    record Cut(long startNs, long endNs) {}

    private final List<Entry> launches;
    private final List<Entry> operations;
    private final long toleranceNs;
    private final boolean isCutOut;
    /** Positions of launches, as the operations show their order. */
    private final int[] order;

    private final int[] launchOf;

    /** {@code isCutOut}: nothing is missing but what a beginning and an end of the recording cut off. */
    LaneAlignment(List<Entry> launches, List<Entry> operations, long toleranceNs, boolean isCutOut) {
        this.isCutOut = isCutOut;
        this.launches = launches;
        this.operations = operations;
        this.toleranceNs = toleranceNs;
        order = new int[launches.size()];
        Arrays.setAll(order, i -> i);
        launchOf = new int[operations.size()];
        Arrays.fill(launchOf, NONE);
    }

    /** Returns the position of each operation's launch, -1 where it is not certain. Cuts are sorted by their end. */
    int[] match(List<Cut> cuts) {
        int size = launches.size();
        long[] earliestStart = new long[size + 1]; // Of the launches from a position on.
        earliestStart[size] = Long.MAX_VALUE;
        for (int i = size - 1; i >= 0; i--) {
            earliestStart[i] = Math.min(earliestStart[i + 1], launches.get(i).startNs());
        }
        int launch = 0;
        int operation = 0;
        int nextLaunch = 0;
        int nextOperation = 0;
        for (Cut cut : cuts) {
            while (nextLaunch < size && launches.get(nextLaunch).endNs() <= cut.startNs) {
                nextLaunch++;
            }
            while (nextOperation < operations.size()
                    && operations.get(nextOperation).startNs() < cut.endNs) {
                nextOperation++;
            }
            if (earliestStart[nextLaunch] >= cut.endNs && isClear(nextOperation, cut.endNs)) {
                alignBefore(launch, nextLaunch, operation, nextOperation);
                launch = nextLaunch;
                operation = nextOperation;
            }
        }
        alignAfter(launch, size, operation, operations.size());
        leaveOutUnordered();
        return launchOf;
    }

    /** Aligns what lies before a cut: what the beginning cut off comes first, so the last ones are pairs, and so on backwards. */
    private void alignBefore(int launch, int endLaunch, int operation, int endOperation) {
        int count = Math.min(endLaunch - launch, endOperation - operation);
        if (!isCutOut || launch > 0 || operation > 0 || !areAllPairs(endLaunch - count, endOperation - count, count)) {
            align(launch, endLaunch, operation, endOperation);
        }
    }

    /** Aligns what lies after the last cut: the first ones are pairs. Without any cut it is not known what is missing. */
    private void alignAfter(int launch, int endLaunch, int operation, int endOperation) {
        int count = Math.min(endLaunch - launch, endOperation - operation);
        if (!isCutOut || (launch == 0 && operation == 0) || !areAllPairs(launch, operation, count)) {
            align(launch, endLaunch, operation, endOperation);
        }
    }

    /** Returns whether no operation before or at a position starts so near to a time that the clocks may be wrong. */
    private boolean isClear(int operation, long ns) {
        return toleranceNs == 0
                || ((operation == 0 || operations.get(operation - 1).startNs() < ns - toleranceNs)
                        && (operation == operations.size()
                                || operations.get(operation).startNs() >= ns + toleranceNs));
    }

    private boolean fits(int launch, int operation) {
        Entry one = launches.get(order[launch]);
        Entry other = operations.get(operation);
        return one.resembles(other) && one.startNs() <= other.startNs() + toleranceNs;
    }

    /** Aligns the launches and operations from the first number to before the second one. */
    private void align(int launch, int endLaunch, int operation, int endOperation) {
        int calls = endLaunch - launch;
        int works = endOperation - operation;
        if (calls == 0 || works == 0 || (calls == works && areAllPairs(launch, operation, calls))) {
            return;
        }
        boolean swapped = calls < works;
        Fit fit = swapped ? (a, b) -> fits(launch + b, operation + a) : (a, b) -> fits(launch + a, operation + b);
        int[] pairs = asSubsequence(fit, Math.max(calls, works), Math.min(calls, works));
        if (pairs == null
                && Math.min(calls, works) < Character.MAX_VALUE
                && (long) (calls + 1) * (works + 1) <= MOST_CELLS) {
            pairs = inAllLongest(fit, Math.max(calls, works), Math.min(calls, works));
        }
        for (int i = 0; pairs != null && i < pairs.length; i++) {
            if (pairs[i] != NONE) {
                launchOf[operation + (swapped ? pairs[i] : i)] = order[launch + (swapped ? i : pairs[i])];
            }
        }
    }

    /** Whether a position of the longer side and one of the shorter side may be a pair. */
    @FunctionalInterface
    private interface Fit {
        boolean fits(int longer, int shorter);
    }

    /** Pairs all one by one, where that fits. A call that others overlap may turn out to be an earlier one. */
    private boolean areAllPairs(int launch, int operation, int count) {
        int[] before = Arrays.copyOfRange(order, launch, launch + count);
        for (int i = 0; i < count; i++) {
            if (!fits(launch + i, operation + i) && !bringForward(launch + i, launch + count, operation + i)) {
                System.arraycopy(before, 0, order, launch, count);
                return false;
            }
        }
        for (int i = 0; i < count; i++) {
            launchOf[operation + i] = order[launch + i];
        }
        return true;
    }

    private boolean bringForward(int launch, int end, int operation) {
        for (int i = launch + 1; i < end && i <= launch + MOST_PASSED; i++) {
            Entry later = launches.get(order[i]);
            for (int j = launch; j < i; j++) {
                if (!later.overlapsInAnotherThread(launches.get(order[j]))) {
                    return false;
                }
            }
            if (fits(i, operation)) {
                int moved = order[i];
                System.arraycopy(order, launch, order, launch + 1, i - launch);
                order[launch] = moved;
                return true;
            }
        }
        return false;
    }

    /** Returns the partner of each of the shorter side where all ways of placing all of them agree; null if none does. */
    private static int @Nullable [] asSubsequence(Fit fit, int longer, int shorter) {
        int[] first = new int[shorter];
        int at = 0;
        for (int i = 0; i < shorter; i++, at++) {
            while (at < longer && !fit.fits(at, i)) {
                at++;
            }
            if (at == longer) {
                return null;
            }
            first[i] = at;
        }
        at = longer - 1;
        for (int i = shorter - 1; i >= 0; i--, at--) {
            while (!fit.fits(at, i)) {
                at--;
            }
            first[i] = first[i] == at ? at : NONE;
        }
        return first;
    }

    /** The same of the alignments with the most pairs. */
    private static int[] inAllLongest(Fit fit, int longer, int shorter) {
        char[][] before = new char[longer + 1][shorter + 1]; // The most pairs in front of two positions.
        for (int i = 0; i < longer; i++) {
            for (int j = 0; j < shorter; j++) {
                char without = (char) Math.max(before[i][j + 1], before[i + 1][j]);
                before[i + 1][j + 1] = fit.fits(i, j) ? (char) Math.max(without, before[i][j] + 1) : without;
            }
        }
        int most = before[longer][shorter];
        int[] partners = new int[shorter];
        int[] ways = new int[shorter];
        char[] next = new char[shorter + 1]; // The most pairs from (i + 1, j) on, and from (i, j) on.
        char[] after = new char[shorter + 1];
        for (int i = longer; i >= 0; i--) {
            for (int j = shorter - 1; j >= 0; j--) {
                boolean pair = i < longer && fit.fits(i, j);
                after[j] = (char) Math.max(after[j + 1], Math.max(next[j], pair ? next[j + 1] + 1 : 0));
                if (pair && before[i][j] + 1 + next[j + 1] == most) {
                    partners[j] = i;
                    ways[j]++;
                }
                ways[j] += before[i][j] + after[j + 1] == most ? 2 : 0; // It may have no partner.
            }
            char[] swap = next;
            next = after;
            after = swap;
        }
        for (int j = 0; j < shorter; j++) {
            partners[j] = ways[j] == 1 ? partners[j] : NONE;
        }
        return partners;
    }

    /** Drops pairs of calls that overlap in two threads and resemble each other: either may have come first. */
    private void leaveOutUnordered() {
        boolean[] unordered = new boolean[launches.size()];
        Integer[] byStart = new Integer[launches.size()];
        Arrays.setAll(byStart, i -> i);
        Arrays.sort(byStart, Order.<Integer>comparingLong(i -> launches.get(i).startNs()));
        long doubtfulUntilNs = Long.MIN_VALUE;
        for (int i = 0; i < byStart.length; i++) {
            Entry one = launches.get(byStart[i]);
            unordered[byStart[i]] |= one.startNs() < doubtfulUntilNs;
            for (int j = i + 1; j < byStart.length; j++) {
                Entry other = launches.get(byStart[j]);
                if (other.startNs() >= one.endNs()) {
                    break;
                }
                if (j > i + MOST_COMPARED) { // All that begin during this call are left out.
                    unordered[byStart[i]] = true;
                    doubtfulUntilNs = Math.max(doubtfulUntilNs, one.endNs());
                    break;
                }
                if (one.overlapsInAnotherThread(other) && one.resembles(other)) {
                    unordered[byStart[i]] = true;
                    unordered[byStart[j]] = true;
                }
            }
        }
        for (int i = 0; i < launchOf.length; i++) {
            launchOf[i] = launchOf[i] != NONE && unordered[launchOf[i]] ? NONE : launchOf[i];
        }
    }
}
