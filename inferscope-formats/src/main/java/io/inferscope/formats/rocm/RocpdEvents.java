package io.inferscope.formats.rocm;

import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.importer.EventWaits;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Waits for HIP events, by the arguments of calls: {@code hipEventRecord(event, stream)}, {@code
 * hipStreamWaitEvent(stream, event, flags)}, {@code hipEventSynchronize(event)}. Arguments of calls contain a stream's
 * address, operations its number: launch calls show which address has which number.
 */
final class RocpdEvents {
    private static final String RECORD = "hipEventRecord";
    private static final String STREAM_WAITS = "hipStreamWaitEvent";
    private static final String HOST_WAITS = "hipEventSynchronize";

    private final TimelineBuilder builder;
    private final EventWaits waits;
    private final Map<Address, Integer> numbers = new HashMap<>();
    private final List<EventCall> eventCalls = new ArrayList<>();
    private final Map<Integer, Integer> streamOfCall = new HashMap<>();
    private Map<Long, EventCall> open = new HashMap<>();
    private Launches launches = new Launches();
    private int recording;

    /** The object at an address in one recording, which covers one process. */
    private record Address(int recording, boolean isEvent, String text) {}

    /** Possible launch calls by id: columns of primitives, because most calls are of this kind. */
    private static final class Launches {
        private long[] ids = new long[64];
        private int[] rows = new int[64];
        private int count;

        /** Adds a call. Ids must ascend; others are left out. */
        void add(long id, int row) {
            if (count > 0 && id <= ids[count - 1]) {
                return;
            }
            if (count == rows.length) {
                ids = Arrays.copyOf(ids, 2 * count);
                rows = Arrays.copyOf(rows, 2 * count);
            }
            ids[count] = id;
            rows[count++] = row;
        }

        /** Returns the row of a call, -1 for none. */
        int row(long id) {
            int at = Arrays.binarySearch(ids, 0, count, id);
            return at < 0 ? -1 : rows[at];
        }
    }

    /** A call that records an event or waits for one; its arguments are read later. */
    private static final class EventCall {
        private final int row;
        private final String name;
        private int event = -1;
        private int stream = -1;

        EventCall(int row, String name) {
            this.row = row;
            this.name = name;
        }
    }

    RocpdEvents(TimelineBuilder builder) {
        this.builder = builder;
        this.waits = new EventWaits(builder);
    }

    /** Adds a HIP call; {@code id} is its id in rocpd's table of events. */
    void called(long id, int row, String name) {
        if (name.startsWith(RECORD) || name.startsWith(STREAM_WAITS) || name.startsWith(HOST_WAITS)) {
            open.put(id, new EventCall(row, name));
        } else if (name.contains("Launch") || name.endsWith("Async")) {
            launches.add(id, row);
        }
    }

    /** Reads the arguments of the calls of a recording, after all calls were added. */
    void read(RocpdTables tables) {
        if (open.values().stream().anyMatch(call -> !call.name.startsWith(RECORD))) {
            tables.file().scan(tables.table("arg"), this::argument, "event_id", "name", "value");
            eventCalls.addAll(open.values());
        }
        open = new HashMap<>();
        launches = new Launches();
        recording++;
    }

    private void argument(SqliteRow row) throws SQLException {
        String name = row.text(1);
        boolean isEvent = name.equals("event");
        boolean isStream = name.equals("stream") || name.equals("hStream");
        EventCall call = isEvent || isStream ? open.get(row.number(0)) : null;
        if (call != null && isEvent) {
            call.event = number(true, row.text(2));
        } else if (call != null) {
            call.stream = number(false, row.text(2));
        } else if (isStream && launches.row(row.number(0)) >= 0) {
            streamOfCall.put(launches.row(row.number(0)), number(false, row.text(2)));
        }
    }

    private int number(boolean isEvent, String address) {
        return numbers.computeIfAbsent(new Address(recording, isEvent, address), unseen -> numbers.size());
    }

    /** Links operations to their calls, and to the operations that they waited for. */
    void link(CorrelationLinker linker) {
        Map<Integer, Integer> tracks = new HashMap<>();
        List<int[]> launched = new ArrayList<>();
        linker.link((kind, from, to, confidence) -> {
            builder.link(kind, from, to, confidence);
            Integer stream = streamOfCall.get(from);
            if (stream != null && builder.kindAt(to).isDeviceOperation()) {
                tracks.putIfAbsent(stream, builder.trackAt(to));
                launched.add(new int[] {from, to});
            }
        });
        eventCalls.forEach(call -> take(call, tracks.get(call.stream)));
        launched.forEach(pair -> waits.launched(pair[0], pair[1]));
        waits.link();
    }

    /** Adds a call's event. Calls are identified by row, because rocprofiler's call ids recur in other processes. */
    private void take(EventCall call, @Nullable Integer track) {
        waits.call(call.row, call.row, call.name);
        if (call.name.startsWith(HOST_WAITS)) {
            waits.hostWaits(call.row, call.event);
        } else if (track != null && call.name.startsWith(RECORD)) {
            waits.recorded(call.row, track, call.event);
        } else if (track != null) {
            waits.waits(call.row, track, call.event);
        }
    }
}
