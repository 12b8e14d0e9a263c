package io.inferscope.timeline;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A set of instants as a sorted list of disjoint, non-touching, non-empty half-open intervals {@code [startNs, endNs)}.
 * Immutable.
 *
 * <pre>
 *   A          ##########......######....
 *   B          .....##########...........
 *   union      ###############.######....
 *   minus      #####...........######....
 *   intersect  .....#####................
 * </pre>
 */
public final class Intervals {
    public static final Intervals EMPTY = new Intervals(new long[0], new long[0]);

    /** Up to this many intervals are summed one by one. */
    private static final int FEW = 16;

    private final long[] starts;
    private final long[] ends;
    private volatile long @Nullable [] totals;

    private Intervals(long[] starts, long[] ends) {
        this.starts = starts;
        this.ends = ends;
    }

    /** Returns {@code [startNs, endNs)}; empty unless the end lies after the start. */
    public static Intervals of(long startNs, long endNs) {
        return endNs > startNs ? new Intervals(new long[] {startNs}, new long[] {endNs}) : EMPTY;
    }

    /** Returns how many maximal intervals there are. */
    public int count() {
        return starts.length;
    }

    public boolean isEmpty() {
        return starts.length == 0;
    }

    public long startNs(int index) {
        return starts[index];
    }

    /** Returns the end (exclusive) of interval {@code index}, in ns. */
    public long endNs(int index) {
        return ends[index];
    }

    /** Returns the measure of the set in ns. */
    public long totalNs() {
        long total = 0;
        for (int i = 0; i < starts.length; i++) {
            total += ends[i] - starts[i];
        }
        return total;
    }

    /** Returns the longest interval's length in ns, 0 when empty. */
    public long longestNs() {
        long longest = 0;
        for (int i = 0; i < starts.length; i++) {
            longest = Math.max(longest, ends[i] - starts[i]);
        }
        return longest;
    }

    /** Returns the instants that are in this set or in {@code other}. */
    public Intervals union(Intervals other) {
        if (isEmpty()) {
            return other;
        }
        if (other.isEmpty()) {
            return this;
        }
        Builder builder = new Builder(starts.length + other.starts.length);
        builder.addAll(this);
        builder.addAll(other);
        return builder.build();
    }

    /** Returns the instants that are in both sets. */
    public Intervals intersect(Intervals other) {
        Builder builder = new Builder(Math.max(starts.length, other.starts.length));
        int i = 0;
        int j = 0;
        while (i < starts.length && j < other.starts.length) {
            builder.add(Math.max(starts[i], other.starts[j]), Math.min(ends[i], other.ends[j]));
            if (ends[i] < other.ends[j]) {
                i++;
            } else {
                j++;
            }
        }
        return builder.build();
    }

    /** Returns the instants of this set that are not in {@code other}. */
    public Intervals minus(Intervals other) {
        Builder builder = new Builder(starts.length + other.starts.length);
        int j = 0;
        for (int i = 0; i < starts.length; i++) {
            long start = starts[i];
            while (j < other.starts.length && other.ends[j] <= start) {
                j++;
            }
            for (int k = j; k < other.starts.length && other.starts[k] < ends[i]; k++) {
                builder.add(start, other.starts[k]);
                start = Math.max(start, other.ends[k]);
            }
            builder.add(start, ends[i]);
        }
        return builder.build();
    }

    /** Returns the part inside {@code [startNs, endNs)}. */
    public Intervals clip(long startNs, long endNs) {
        return intersect(of(startNs, endNs));
    }

    /** Returns the intervals that are at least so long. */
    public Intervals atLeast(long leastNs) {
        Builder builder = new Builder(starts.length);
        for (int i = 0; i < starts.length; i++) {
            if (ends[i] - starts[i] >= leastNs) {
                builder.add(starts[i], ends[i]);
            }
        }
        return builder.build();
    }

    /** Returns the length of each interval in ns, in their order. */
    public LongStream lengthsNs() {
        return IntStream.range(0, starts.length).mapToLong(i -> ends[i] - starts[i]);
    }

    /** Takes an interval, in ns. */
    public interface Taker {
        void take(long startNs, long endNs);
    }

    /** Passes on each interval, in their order. */
    public void forEach(Taker taker) {
        for (int i = 0; i < starts.length; i++) {
            taker.take(starts[i], ends[i]);
        }
    }

    /** Returns when an interval next begins or ends after an instant; the end of time when none does. */
    public long nextEdgeNs(long timeNs) {
        int found = Arrays.binarySearch(ends, timeNs);
        int next = found < 0 ? -found - 1 : found + 1;
        return next == starts.length ? Long.MAX_VALUE : starts[next] > timeNs ? starts[next] : ends[next];
    }

    /**
     * Returns the instants of {@code [startNs, endNs)} that are not in this set: its gaps there, head and tail
     * included.
     */
    public Intervals complementWithin(long startNs, long endNs) {
        return of(startNs, endNs).minus(this);
    }

    /**
     * Returns the measure of the part inside {@code [startNs, endNs)} in ns, without building it, in logarithmic time.
     */
    public long totalWithinNs(long startNs, long endNs) {
        int found = Arrays.binarySearch(ends, startNs);
        int first = found < 0 ? -found - 1 : found + 1;
        if (first >= starts.length || starts[first] >= endNs || startNs >= endNs) {
            return 0;
        }
        int next = Arrays.binarySearch(starts, first, starts.length, endNs);
        int last = (next < 0 ? -next - 1 : next) - 1;
        long totalNs = last - first < FEW
                ? sumNs(first, last)
                : totalsNs()[last] - totalsNs()[first] + ends[first] - starts[first];
        return totalNs - Math.max(0, startNs - starts[first]) - Math.max(0, ends[last] - endNs);
    }

    private long sumNs(int first, int last) {
        long sum = 0;
        for (int i = first; i <= last; i++) {
            sum += ends[i] - starts[i];
        }
        return sum;
    }

    /** Returns the cumulative measure by interval. It pays because callers with one long query have many queries. */
    private long[] totalsNs() {
        long[] known = totals;
        if (known == null) {
            known = new long[starts.length];
            long sum = 0;
            for (int i = 0; i < known.length; i++) {
                sum += ends[i] - starts[i];
                known[i] = sum;
            }
            totals = known;
        }
        return known;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Intervals that && Arrays.equals(starts, that.starts) && Arrays.equals(ends, that.ends);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(starts) + Arrays.hashCode(ends);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < starts.length; i++) {
            text.append(i == 0 ? "" : " ")
                    .append('[')
                    .append(starts[i])
                    .append(',')
                    .append(ends[i])
                    .append(')');
        }
        return text.append('}').toString();
    }

    /**
     * Collects intervals in any order, overlapping or not, and builds their union. Fastest when they come sorted by
     * start.
     */
    public static final class Builder {
        private long[] starts;
        private long[] ends;
        private int size;
        private boolean sorted = true;

        /** Makes a builder with room for {@code capacity} intervals; it grows. */
        public Builder(int capacity) {
            starts = new long[Math.max(4, capacity)];
            ends = new long[starts.length];
        }

        /** Adds {@code [startNs, endNs)}; nothing unless the end lies after the start. */
        public Builder add(long startNs, long endNs) {
            if (endNs <= startNs) {
                return this;
            }
            if (size > 0 && startNs < starts[size - 1]) {
                sorted = false;
            } else if (size > 0 && sorted && startNs <= ends[size - 1]) {
                ends[size - 1] = Math.max(ends[size - 1], endNs);
                return this;
            }
            if (size == starts.length) {
                starts = Arrays.copyOf(starts, size * 2);
                ends = Arrays.copyOf(ends, size * 2);
            }
            starts[size] = startNs;
            ends[size++] = endNs;
            return this;
        }

        /** Adds every interval of {@code other}. */
        public Builder addAll(Intervals other) {
            for (int i = 0; i < other.starts.length; i++) {
                add(other.starts[i], other.ends[i]);
            }
            return this;
        }

        /** Returns the union of what was added. The builder stays usable. */
        public Intervals build() {
            if (size == 0) {
                return EMPTY;
            }
            return sorted ? new Intervals(Arrays.copyOf(starts, size), Arrays.copyOf(ends, size)) : sortedUnion();
        }

        /** Unions by sweeping the sorted starts and sorted ends: open intervals are those started and not yet ended. */
        private Intervals sortedUnion() {
            long[] openings = Arrays.copyOf(starts, size);
            long[] closings = Arrays.copyOf(ends, size);
            Arrays.sort(openings);
            Arrays.sort(closings);
            int count = 0;
            int open = 0;
            int closing = 0;
            long[] outStarts = new long[size];
            long[] outEnds = new long[size];
            for (long opening : openings) {
                while (closing < size && closings[closing] < opening) {
                    closing++;
                    open--;
                }
                if (open == 0) {
                    if (count > 0) {
                        outEnds[count - 1] = closings[closing - 1];
                    }
                    outStarts[count++] = opening;
                }
                open++;
            }
            outEnds[count - 1] = closings[size - 1];
            return new Intervals(Arrays.copyOf(outStarts, count), Arrays.copyOf(outEnds, count));
        }
    }
}
