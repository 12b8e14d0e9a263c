package io.inferscope.analyzer.model;

import org.jspecify.annotations.Nullable;

/**
 * Where an estimate comes from a counter: {@code totalNs} lie somewhere in a room of {@code roomNs}, and {@code partNs} of the room are asked about.
 *
 * @param thread the track of the thread that was counted
 * @param kind what was counted
 * @param row the row that holds the counter: parts of one row are parts of one room
 * @param totalNs what was counted, more than 0
 * @param roomNs where it lies, longer than that
 * @param partNs the part of the room, at most all of it; not whole where a part of it is asked about in proportion
 * @param next what the same amount of time rests on beside this; null for nothing
 */
public record Placement(
        int thread,
        Kind kind,
        int row,
        long totalNs,
        long roomNs,
        double partNs,
        @Nullable Placement next) {
    /** What was counted. */
    public enum Kind {
        /** Time blocked. */
        BLOCKED,
        /** Time on a CPU. */
        ON_CPU,
        /** Time runnable without a CPU. */
        RUNNABLE,
        /** Time blocked, as far as its place decides where the thread was on a CPU or runnable. */
        NOT_AWAKE
    }

    /** Returns the same for a part of the part. */
    Placement scaled(double ratio) {
        return new Placement(
                thread, kind, row, totalNs, roomNs, partNs * ratio, next == null ? null : next.scaled(ratio));
    }

    /** Returns this with more behind it. */
    Placement and(Placement more) {
        return new Placement(thread, kind, row, totalNs, roomNs, partNs, next == null ? more : next.and(more));
    }
}
