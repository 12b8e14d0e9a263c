package io.inferscope.timeline;

/**
 * Frees memory between the stages of explaining a large recording. The serial collector itself would rather let the
 * heap grow to its limit. A collection takes some 10 ms per 100 MB that stay, where these are mostly columns.
 */
public final class Garbage {
    /** With a smaller heap, less can be freed than the JVM itself takes. */
    private static final long LEAST = 64L << 20;

    /** With a smaller heap, analysis needs less than a collection in the middle of it is worth. */
    private static final long LEAST_DURING_ANALYSIS = 512L << 20;

    /** By how much the heap grows before it is collected again during analysis, as a factor. */
    private static final double GROWTH = 1.25;

    /** What the last collection left, in bytes. */
    private static volatile long keptBytes;

    private Garbage() {}

    /** Collects what reading needed. */
    public static void collectAfterReading() {
        collectAbove(LEAST);
    }

    /** Collects what the analysis has needed so far, if that may be much. Costs next to nothing otherwise. */
    public static void collectDuringAnalysis() {
        collectAbove(Math.max(LEAST_DURING_ANALYSIS, (long) (GROWTH * keptBytes)));
    }

    private static void collectAbove(long bytes) {
        if (usedBytes() > bytes) {
            System.gc();
            keptBytes = usedBytes();
        }
    }

    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
