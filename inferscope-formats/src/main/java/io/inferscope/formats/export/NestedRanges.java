package io.inferscope.formats.export;

import io.inferscope.formats.common.Exporter;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The ranges of one track as openings and closings, properly nested and in the order of time, as stack formats require.
 *
 * <p>Rows that overlap without nesting are cut at the end of the earlier one:
 *
 * <pre>
 *   recorded   [a       ]          visited       [a       ]
 *                   [b      ]                             [b ]
 * </pre>
 */
final class NestedRanges {
    private final Timeline timeline;
    private final Visitor visitor;
    private final Deque<Integer> open = new ArrayDeque<>();
    private long nowNs = Long.MIN_VALUE;
    private long cut;

    /** Receives openings and closings; a closing always belongs to the last open range. */
    interface Visitor {
        void open(int row, long atNs);

        void close(int row, long atNs);
    }

    private NestedRanges(Timeline timeline, Visitor visitor) {
        this.timeline = timeline;
        this.visitor = visitor;
    }

    /** Visits the ranges of a track. Returns how many were cut or dropped because of an overlap. */
    static long visit(Timeline timeline, int track, Visitor visitor) {
        NestedRanges ranges = new NestedRanges(timeline, visitor);
        timeline.rows(track).filter(row -> isRange(timeline, row)).forEach(ranges::add);
        ranges.closeUntil(Long.MAX_VALUE);
        return ranges.cut;
    }

    /** Returns {@code leftOut}, followed by the numbers of captured rows and of cut ranges in words. */
    static String cutRanges(Timeline timeline, String leftOut) {
        long cut = 0;
        for (Track track : timeline.tracks()) {
            if (isAnyOn(timeline, track.id())) {
                cut += visit(timeline, track.id(), NOWHERE);
            }
        }
        String rows = Exporter.withCaptured(timeline, leftOut);
        return cut == 0 ? rows : rows + "; " + cut + " ranges that overlap another one of their track are cut";
    }

    private static final Visitor NOWHERE = new Visitor() {
        @Override
        public void open(int row, long atNs) {}

        @Override
        public void close(int row, long atNs) {}
    };

    /** Returns whether a row is activity of its track, rather than a state, sample, mark or profiler window. */
    static boolean isRange(Timeline timeline, int row) {
        RowKind kind = timeline.kind(row);
        boolean says = switch (kind) {
            case PROFILER_WINDOW, PROCESS, THREAD_STATE, STACK_SAMPLE, COUNTER, INSTANT, DEVICE_SYNC -> false;
            default -> true;
        };
        return says && timeline.startNs(row) < timeline.endNs(row);
    }

    /** Returns whether any row of a track is such a range. */
    static boolean isAnyOn(Timeline timeline, int track) {
        TrackKind kind = timeline.tracks().get(track).kind();
        return (kind == TrackKind.THREAD || kind == TrackKind.STREAM)
                && timeline.rows(track).anyMatch(row -> isRange(timeline, row));
    }

    private void add(int row) {
        closeUntil(timeline.startNs(row));
        while (!open.isEmpty() && timeline.endNs(open.element()) < timeline.endNs(row)) {
            close();
        }
        long startNs = Math.max(timeline.startNs(row), nowNs);
        cut += startNs > timeline.startNs(row) ? 1 : 0;
        if (startNs < timeline.endNs(row)) {
            nowNs = startNs;
            open.push(row);
            visitor.open(row, startNs);
        }
    }

    private void closeUntil(long timeNs) {
        while (!open.isEmpty() && timeline.endNs(open.element()) <= timeNs) {
            close();
        }
    }

    private void close() {
        int row = open.pop();
        nowNs = timeline.endNs(row);
        visitor.close(row, nowNs);
    }
}
