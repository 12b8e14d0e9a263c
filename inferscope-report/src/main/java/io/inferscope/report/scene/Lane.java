package io.inferscope.report.scene;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Events of one lane, which do not overlap, as columns: the gap before each, its length, name, class and link. What is
 * left out of a large recording is summed per class in equal bins of the window, so that the lane's coverage stays
 * exact at the bins' edges.
 */
final class Lane {
    /** Equal parts of the window in which left-out events are summed. */
    static final int BINS = 8192;

    private final Varints gaps = new Varints();
    private final Varints durations = new Varints();
    private final Varints names = new Varints();
    private final Varints classes = new Varints();
    private final Varints links = new Varints();
    private int count;
    private long endNs;
    private long lastLink;
    private long @Nullable [] @Nullable [] bins;
    private long leftOut;

    /**
     * Adds an event that starts no earlier than the one before it ends, in ns from the window's start.
     *
     * @param link equal for a launch and what it launched, 0 for none
     */
    void add(long startNs, long endsNs, int name, int ledgerClass, long link) {
        gaps.signed(startNs - endNs);
        durations.add(endsNs - startNs);
        names.add(name);
        classes.add(ledgerClass);
        links.signed(link - lastLink);
        endNs = endsNs;
        lastLink = link;
        count++;
    }

    /** Adds an event to the bins alone. */
    void leaveOut(long startNs, long endsNs, int ledgerClass, int classCount, long windowNs) {
        leftOut++;
        if (bins == null) {
            bins = new long[classCount][];
        }
        long[] sums = bins[ledgerClass];
        if (sums == null) {
            sums = new long[BINS];
            bins[ledgerClass] = sums;
        }
        long from = Math.max(0, startNs);
        long to = Math.min(windowNs, endsNs);
        for (int bin = binOf(from, windowNs); bin < BINS && from < to; bin++) {
            long edge = Math.min(to, edgeNs(bin + 1, windowNs));
            sums[bin] += Math.max(0, edge - from);
            from = Math.max(from, edge);
        }
    }

    private static int binOf(long ns, long windowNs) {
        int bin = (int) Math.min(BINS - 1, (double) ns / windowNs * BINS);
        while (bin > 0 && edgeNs(bin, windowNs) > ns) {
            bin--;
        }
        return bin;
    }

    /** Returns where a bin begins; the page computes the same. */
    static long edgeNs(int bin, long windowNs) {
        return (long) Math.floor((double) windowNs * bin / BINS);
    }

    boolean isEmpty() {
        return count == 0 && leftOut == 0;
    }

    int count() {
        return count;
    }

    long leftOut() {
        return leftOut;
    }

    void writeTo(Varints out) {
        out.add(count)
                .addAll(gaps)
                .addAll(durations)
                .addAll(names)
                .addAll(classes)
                .addAll(links);
        out.add(leftOut);
        if (bins != null) {
            for (int ledgerClass = 0; ledgerClass < bins.length; ledgerClass++) {
                long[] sums = bins[ledgerClass];
                if (sums != null) {
                    out.add(ledgerClass + 1L);
                    writeSums(sums, out);
                }
            }
            out.add(0);
        }
    }

    /** Writes how many empty bins come before each sum, and the sum. */
    private static void writeSums(long[] sums, Varints out) {
        out.add(Arrays.stream(sums).filter(sum -> sum > 0).count());
        int last = 0;
        for (int bin = 0; bin < sums.length; bin++) {
            if (sums[bin] > 0) {
                out.add(bin - last).add(sums[bin]);
                last = bin + 1;
            }
        }
    }
}
