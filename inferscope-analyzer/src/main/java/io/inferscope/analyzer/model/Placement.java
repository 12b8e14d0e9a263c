package io.inferscope.analyzer.model;

import org.jspecify.annotations.Nullable;

/**
 * The place of a counted time: {@code totalNs} lie somewhere in a room of {@code roomNs}, and an estimate is made for
 * {@code partNs} of the room.
 *
 * @param thread the track of the thread that was counted
 * @param kind what was counted
 * @param row the row that holds the counter: parts of one row are parts of one room
 * @param totalNs the counted time, more than 0
 * @param roomNs length of the room, more than {@code totalNs}
 * @param partNs the part of the room, at most all of it; a fraction if the estimate is for a share of a part
 * @param next a further placement that the same amount of time is based on; null for none
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
        /** Time blocked, whose place decides where the thread was on a CPU or runnable. */
        NOT_AWAKE
    }

    /** Returns the same for a part of the part. */
    Placement scaled(double ratio) {
        return new Placement(
                thread, kind, row, totalNs, roomNs, partNs * ratio, next == null ? null : next.scaled(ratio));
    }

    /** Returns this placement with a further one appended. */
    Placement and(Placement more) {
        return new Placement(thread, kind, row, totalNs, roomNs, partNs, next == null ? more : next.and(more));
    }
}
