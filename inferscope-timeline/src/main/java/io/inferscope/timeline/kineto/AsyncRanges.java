package io.inferscope.timeline.kineto;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Asynchronous ranges: begin, instant and end events ({@code b}, {@code n}, {@code e}) connected by category and id.
 * They may end on another thread than they began on and overlap each other, so they belong to no thread: each is put on
 * the first free lane of its process and category.
 *
 * <p>Files need not be in order of time: threads write their buffers one after the other, and some recorders write a
 * range at its end. So events are kept, four numbers each, and connected when all are known. Ended ranges are dropped
 * during that, because most ids are used once.
 *
 * <p>Trace Event Format (Chromium), "Async Events": events of one category and id are one tree; a local id ({@code
 * id2}) is unique within its process only.
 */
final class AsyncRanges {
    /** How an {@code id2} begins that counts in its process. */
    private static final String LOCAL = "{local:";

    private static final int TIME = 0;

    /** A hash of category and id, of 64 bits: with 10,000 open at once, two collide in one of 10^11 recordings. */
    private static final int KEY = 1;

    /** The row of a begin or an instant; of an end, the complement of its name's id. */
    private static final int ROW = 2;

    private static final int OFFSET = 3;
    private static final int NUMBERS = 4;

    private final TimelineBuilder builder;

    /** The events in the order of the file. */
    private long[] events = new long[0];

    private int count;
    private boolean inOrder = true;

    /** By its first lane's track. */
    private final Map<Integer, Category> categories = new HashMap<>();

    /** By key. */
    private final Map<Long, OpenId> open = new HashMap<>();

    /** By row of an open range. */
    private final Map<Integer, Lane> lanes = new HashMap<>();

    private record Category(int process, String name, BitSet busy) {}

    private record Lane(BitSet busy, int number) {}

    private static final class OpenId {
        final OpenRanges ranges = new OpenRanges();

        /** The track of its last range, which also gets its instants. */
        int track;
    }

    AsyncRanges(TimelineBuilder builder) {
        this.builder = builder;
    }

    void clear() {
        events = new long[0];
        count = 0;
        inOrder = true;
        categories.clear();
        open.clear();
        lanes.clear();
    }

    /** Adds a row for a beginning range or an instant, on the first lane until all events are known. */
    int begin(TraceEvent event) {
        int process = builder.track(TrackKind.PROCESS, -1, event.pid());
        int track = lane(process, event.category(), 0);
        categories.computeIfAbsent(track, t -> new Category(process, event.category(), new BitSet()));
        RowKind kind = event.phase() == 'b' ? RowKind.ANNOTATION : RowKind.INSTANT;
        int row = builder.row(kind, track, event.tsNs(), event.tsNs(), builder.name(event.name()));
        keep(event, row);
        return row;
    }

    /** Notes the end of a range. */
    void end(TraceEvent event) {
        keep(event, ~builder.name(event.name()));
    }

    private void keep(TraceEvent event, int row) {
        if ((count + 1) * NUMBERS > events.length) {
            events = Arrays.copyOf(events, Math.max(NUMBERS * 256, 2 * events.length));
        }
        inOrder &= count == 0 || event.tsNs() >= number(count - 1, TIME);
        int at = NUMBERS * count++;
        events[at + TIME] = event.tsNs();
        events[at + KEY] = key(event);
        events[at + ROW] = row;
        events[at + OFFSET] = event.offsetBytes();
    }

    private long number(int event, int which) {
        return events[NUMBERS * event + which];
    }

    private static long key(TraceEvent event) {
        String id = event.text(Arg.ASYNC_ID, "");
        long hash = add(add(0, event.category()), id);
        return id.startsWith(LOCAL) ? add(hash, event.pid()) : hash;
    }

    private static long add(long to, String text) {
        long hash = to ^ text.length();
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    private int lane(int process, String category, int number) {
        return builder.track(TrackKind.REQUEST, process, "async " + category + ' ' + (number + 1));
    }

    /** Connects the events in order of time, and ends open ranges at the end of the recording. */
    void finish(long lastStampNs) {
        IntStream all = IntStream.range(0, count);
        (inOrder ? all : inOrderOfTime(all)).forEach(event -> {
            int row = (int) number(event, ROW);
            if (row < 0) {
                end(event, builder.text(~row));
            } else if (builder.kindAt(row) == RowKind.ANNOTATION) {
                begin(event, row);
            } else {
                OpenId around = open.get(number(event, KEY));
                builder.move(row, around == null ? builder.trackAt(row) : around.track);
            }
        });
        for (OpenId left : open.values()) {
            left.ranges.forEach((row, name) -> {
                builder.end(row, lastStampNs);
                builder.stats().count(Reason.UNCLOSED_BEGIN, -1, name);
            });
        }
        events = new long[0];
    }

    private IntStream inOrderOfTime(IntStream all) {
        return all.boxed()
                .sorted(Order.comparingLong(event -> number(event, TIME)))
                .mapToInt(event -> event);
    }

    private void begin(int event, int row) {
        Category category = Objects.requireNonNull(categories.get(builder.trackAt(row)));
        int number = category.busy.nextClearBit(0);
        category.busy.set(number);
        lanes.put(row, new Lane(category.busy, number));
        OpenId id = open.computeIfAbsent(number(event, KEY), k -> new OpenId());
        id.track = lane(category.process, category.name, number);
        id.ranges.begin(row, builder.text(builder.nameIdAt(row)));
        builder.move(row, id.track);
    }

    private void end(int event, String name) {
        OpenId id = open.get(number(event, KEY));
        int row = id == null ? -1 : id.ranges.end(name);
        if (id == null || row < 0) {
            builder.stats().count(Reason.UNMATCHED_END, number(event, OFFSET), name);
            return;
        }
        builder.end(row, number(event, TIME));
        Lane lane = Objects.requireNonNull(lanes.remove(row));
        lane.busy.clear(lane.number);
        if (id.ranges.isEmpty()) {
            open.remove(number(event, KEY));
        }
    }

    /** Returns of how many ids a range is open. */
    int openIds() {
        return open.size();
    }
}
