package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * A wait that a hand-over ends is a wait for the giver. Where a record shows what else a thread waits for, only waits
 * without a reason, for data and for processes are.
 *
 * <pre>
 *   taker    [ queue.get .............. ]        HAND_OVER row from the begin of the wait to the return with the item
 *   giver    [ decode ][ compress ] put          the item is given here
 *   blame     dddddddddccccccccccccc ww          w: the taker's own wait, waking up
 * </pre>
 */
final class HandOverWaits implements WaitRoute {
    private static final int[] NONE = {};

    private final Timeline timeline;
    private final Threads threads;

    /** By row; empty if no hand-over is recorded. */
    private final int[] givers;

    private final Lazy<IntervalTree[]> waits = new Lazy<>(() -> findWaits(false));
    private final Lazy<IntervalTree[]> polls = new Lazy<>(() -> findWaits(true));

    HandOverWaits(Timeline timeline, Threads threads) {
        this.timeline = timeline;
        this.threads = threads;
        this.givers = timeline.has(Attribute.HAND_OVER) ? new int[timeline.rowCount()] : NONE;
        Arrays.fill(givers, -1);
        Links links = timeline.links();
        if (areRecorded()) {
            links.of(LinkKind.HAND_OVER, LinkKind.LOCK)
                    .forEach(link -> givers[links.toRow(link)] = links.fromRow(link));
        }
    }

    /**
     * Hand-over rows of each thread whose giver is on another thread, all or those of polls, in the order of their
     * starts. Rows of broken recordings may overlap.
     */
    private IntervalTree[] findWaits(boolean polled) {
        IntervalTree[] byTrack = new IntervalTree[timeline.tracks().size()];
        for (int track = 0; track < byTrack.length; track++) {
            IntervalTree.Builder found = new IntervalTree.Builder();
            timeline.rows(track)
                    .filter(row ->
                            isWait(row) && (!polled || HandOver.What.of(timeline, row) == HandOver.What.SHARED_MEMORY))
                    .forEach(row -> found.add(row, timeline.startNs(row), timeline.endNs(row)));
            byTrack[track] = found.build();
        }
        return byTrack;
    }

    private boolean isWait(int row) {
        return givers[row] >= 0
                && timeline.kind(row) == RowKind.HAND_OVER
                && timeline.durationNs(row) > 0
                && timeline.tracks().get(timeline.track(givers[row])).kind() == TrackKind.THREAD
                && timeline.track(givers[row]) != timeline.track(row);
    }

    boolean areRecorded() {
        return givers.length > 0;
    }

    /** Returns whether a thread waits for an item in the interval. */
    boolean mayWait(int track, long fromNs, long toNs) {
        return areRecorded() && waits.get()[track].meet(fromNs, toNs);
    }

    /** Returns the waits of an interval in which the thread polls. */
    int[] polls(int track, long fromNs, long toNs) {
        if (!areRecorded() || !polls.get()[track].meet(fromNs, toNs)) {
            return NONE;
        }
        IntStream.Builder rows = IntStream.builder();
        polls.get()[track].meeting(fromNs, toNs, rows::add);
        return rows.build().toArray();
    }

    /** Returns how long a thread waited, in an interval, for threads that are chosen, in ns. */
    long waitedNs(int track, long fromNs, long toNs, IntPredicate chosen) {
        long[] ns = {0};
        if (mayWait(track, fromNs, toNs)) {
            waits.get()[track].meeting(fromNs, toNs, row -> {
                boolean counts = chosen.test(timeline.track(givers[row]));
                ns[0] += counts ? Math.min(toNs, timeline.endNs(row)) - Math.max(fromNs, timeline.startNs(row)) : 0;
            });
        }
        return ns[0];
    }

    /** Returns until when the thread that ends a wait is waited for. */
    long untilNs(int wait) {
        return Math.min(timeline.endNs(wait), timeline.endNs(givers[wait]));
    }

    /** Returns the thread that started the row's thread, if the row tells; otherwise -1. */
    int starter(int row) {
        boolean isStart = areRecorded()
                && givers[row] >= 0
                && timeline.kind(row) == RowKind.HAND_OVER
                && timeline.attribute(row, Attribute.HAND_OVER) == HandOver.START.ordinal();
        return isStart ? timeline.track(givers[row]) : -1;
    }

    @Override
    public boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to) {
        if (!mayEnd(waiting) || !mayWait(waiting.thread(), waiting.fromNs(), waiting.toNs())) {
            return false; // The second holds for nearly every piece of a thread without recorded states.
        }
        IntStream.Builder rows = IntStream.builder();
        waits.get()[waiting.thread()].meetingUntil(leastStartNs(waiting), waiting.fromNs(), waiting.toNs(), row -> {
            rows.add(row);
            return untilNs(row) >= waiting.toNs();
        });
        int[] taking = rows.build().toArray();
        if (taking.length == 0) {
            return false;
        }
        WaitFollower.Walk.Shares shares = walk.shares(waiting, to);
        for (int row : taking) {
            shares.own(timeline.startNs(row));
            shares.of(timeline.track(givers[row]), untilNs(row));
        }
        shares.own(waiting.toNs());
        return true;
    }

    private boolean mayEnd(ThreadPiece waiting) {
        return switch (waiting.ledgerClass()) {
            case WAIT_UNKNOWN, WAIT_SOCKET, WAIT_CHILD_PROCESS -> true;
            default -> threads.activity(waiting.thread()).waitsByHandOver();
        };
    }

    /**
     * Returns when a wait that explains the piece starts at the earliest: not before the piece's activity, which the
     * thread began instead of waiting, unless its state shows a wait. A Python function may be the wait itself and does
     * not count.
     */
    private long leastStartNs(ThreadPiece piece) {
        boolean active = piece.row() >= 0
                && !piece.ledgerClass().isWaiting()
                && timeline.kind(piece.row()) != RowKind.PYTHON_FUNCTION;
        return active ? timeline.startNs(piece.row()) : Long.MIN_VALUE;
    }
}
