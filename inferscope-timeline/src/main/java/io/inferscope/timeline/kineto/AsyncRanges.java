package io.inferscope.timeline.kineto;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Asynchronous ranges: begin, instant and end events ({@code b}, {@code n}, {@code e}) that a category and an id tie together. They may end on another
 * thread than they began on and overlap each other, so they are no thread's: each begins on the first free lane of its process and category.
 *
 * <p>Trace Event Format (Chromium), "Async Events": events of one category and id are one tree; a local id ({@code id2}) counts in its process alone.
 */
final class AsyncRanges {
    /** How an {@code id2} begins that counts in its process. */
    private static final String LOCAL = "{local:";

    private final TimelineBuilder builder;
    private final Map<String, OpenRanges> open = new HashMap<>();

    /** By process and category: the lanes on which a range is open. */
    private final Map<String, BitSet> busy = new HashMap<>();

    /** Where the last range of an id began: its instants lie there. */
    private final Map<String, Integer> laneOfId = new HashMap<>();

    /** By row of an open range. */
    private final Map<Integer, Lane> lanes = new HashMap<>();

    private record Lane(BitSet lanes, int number) {}

    AsyncRanges(TimelineBuilder builder) {
        this.builder = builder;
    }

    void clear() {
        open.clear();
        busy.clear();
        laneOfId.clear();
        lanes.clear();
    }

    /** Adds a row for a range that begins, or for an instant. */
    int begin(TraceEvent event) {
        BitSet ofCategory = busy.computeIfAbsent(event.pid() + '\n' + event.category(), c -> new BitSet());
        boolean range = event.phase() == 'b';
        String key = key(event);
        int number = range ? ofCategory.nextClearBit(0) : laneOfId.getOrDefault(key, 0);
        int process = builder.track(TrackKind.PROCESS, -1, event.pid());
        int track = builder.track(TrackKind.REQUEST, process, "async " + event.category() + ' ' + (number + 1));
        RowKind kind = range ? RowKind.ANNOTATION : RowKind.INSTANT;
        int row = builder.row(kind, track, event.tsNs(), event.tsNs(), builder.name(event.name()));
        if (range) {
            ofCategory.set(number);
            lanes.put(row, new Lane(ofCategory, number));
            laneOfId.put(key, number);
            open.computeIfAbsent(key, k -> new OpenRanges()).begin(row, event.name());
        }
        return row;
    }

    /** Ends the range that an event names; returns whether there is one. */
    boolean end(TraceEvent event) {
        OpenRanges ranges = open.get(key(event));
        int row = ranges == null ? -1 : ranges.end(event.name());
        if (row >= 0) {
            builder.end(row, event.tsNs());
            Lane lane = lanes.remove(row);
            if (lane != null) {
                lane.lanes.clear(lane.number);
            }
        }
        return row >= 0;
    }

    private static String key(TraceEvent event) {
        String id = event.text(Arg.ASYNC_ID, "");
        return event.category() + '\n' + (id.startsWith(LOCAL) ? event.pid() + '\n' : "") + id;
    }

    /** Ends what is still open when the recording does. */
    void finish(long lastStampNs) {
        for (OpenRanges ranges : open.values()) {
            ranges.forEach((row, name) -> {
                builder.end(row, lastStampNs);
                builder.stats().count(Reason.UNCLOSED_BEGIN, -1, name);
            });
        }
    }
}
