package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.WaitReason;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The tables of thread activity: CUDA calls, OS runtime calls, overhead. */
final class NsysHostTables {
    /**
     * Version suffix of CUDA runtime calls, such as {@code cudaLaunchKernel_v7000}, from the names of CUPTI's callback
     * ids.
     */
    private static final Pattern RUNTIME_VERSION = Pattern.compile("(cuda[A-Z]\\w*?)(_pt[sd][sz])?_v\\d{4,}");

    private static final Pattern DRIVER_NAME = Pattern.compile("cu[A-Z].*");

    private final NsysTables tables;
    private final TimelineBuilder builder;
    private final Map<Integer, Integer> shortNames = new HashMap<>();
    private final Map<Long, String> overheadTypes = new HashMap<>();
    private final Map<Integer, long[]> lastWaits = new HashMap<>();

    NsysHostTables(NsysTables tables) {
        this.tables = tables;
        this.builder = tables.builder();
    }

    void read() {
        String[] call = {"@start", "@end", "globalTid", "nameId", "correlationId"};
        tables.scan("CUPTI_ACTIVITY_KIND_RUNTIME", row -> call(row, RowKind.RUNTIME_CALL), call);
        tables.scan("CUPTI_ACTIVITY_KIND_DRIVER", row -> call(row, RowKind.DRIVER_CALL), call);
        tables.scan("OSRT_API", this::osRuntimeCall, "@start", "@end", "globalTid", "nameId", "nestingLevel");
        tables.scan("ENUM_CUPTI_OVERHEAD_TYPE", row -> overheadTypes.put(row.number(0, -1), row.text(1)), "id", "name");
        for (String table : new String[] {"CUPTI_ACTIVITY_KIND_OVERHEAD", "PROFILER_OVERHEAD"}) {
            tables.scan(table, this::overhead, "@start", "@end", "globalTid", "nameId", "overheadType");
        }
    }

    private void call(SqliteRow row, RowKind recorded) throws SQLException {
        long startNs = row.number(0);
        long endNs = row.number(1);
        int name = shortNames.computeIfAbsent(tables.texts().nameId(row.number(3)), this::withoutVersion);
        String text = builder.text(name);
        if (!tables.spans().usable(startNs, endNs, text)) {
            return;
        }
        // Newer exports have driver calls in the table of runtime calls.
        RowKind api = DRIVER_NAME.matcher(text).matches() ? RowKind.DRIVER_CALL : recorded;
        RowKind kind = text.contains("GraphLaunch") ? RowKind.GRAPH_LAUNCH : api;
        long globalTid = row.number(2);
        int added = builder.row(kind, tables.threadTrack(globalTid), startNs, endNs, name);
        long correlation = row.number(4, 0);
        if (correlation != 0) {
            builder.correlation(added, correlation);
            tables.linker().add(added, kind, tables.correlationProcess(globalTid), correlation);
            tables.events().called(globalTid, correlation, added, text);
        }
    }

    private int withoutVersion(int nameId) {
        var matcher = RUNTIME_VERSION.matcher(builder.text(nameId));
        return matcher.matches() ? builder.name(matcher.group(1)) : nameId;
    }

    /** Adds a waiting call as its thread's wait. Nested calls are skipped. */
    private void osRuntimeCall(SqliteRow row) throws SQLException {
        long startNs = row.number(0);
        long endNs = row.number(1);
        int name = tables.texts().nameId(row.number(3));
        if (!tables.spans().usable(startNs, endNs, builder.text(name))) {
            return;
        }
        WaitReason reason = OsRuntimeCalls.waitReason(builder.text(name), endNs - startNs);
        int track = tables.threadTrack(row.number(2));
        if (reason == null || row.number(4, 0) > 0 || !isAfterLastWait(track, startNs, endNs)) {
            builder.stats().count(Reason.NOT_USED, -1, "OSRT_API: " + builder.text(name));
            return;
        }
        int added = builder.row(RowKind.THREAD_STATE, track, startNs, endNs, name);
        builder.attribute(added, Attribute.WAIT_REASON, reason.ordinal());
        builder.attribute(added, Attribute.DETAIL, name);
    }

    /** Returns whether a wait does not overlap the last one of its thread. */
    private boolean isAfterLastWait(int track, long startNs, long endNs) {
        long[] last = lastWaits.computeIfAbsent(track, t -> new long[] {Long.MAX_VALUE, Long.MIN_VALUE});
        if (startNs < last[1] && endNs > last[0]) {
            return false;
        }
        last[0] = startNs;
        last[1] = endNs;
        return true;
    }

    /**
     * Adds the profiler's own work, and the program's compiling, loading and waiting for a full queue, which CUPTI also
     * calls overhead.
     */
    private void overhead(SqliteRow row) throws SQLException {
        long startNs = row.number(0);
        long endNs = row.number(1);
        String type = overheadTypes.getOrDefault(row.number(4), "");
        int nameId = tables.texts().nameId(row.number(3));
        int name = nameId == 0 ? builder.name(type.isEmpty() ? "Profiler overhead" : type) : nameId;
        if (!tables.spans().usable(startNs, endNs, builder.text(name))) {
            return;
        }
        int track = tables.threadTrack(row.number(2));
        if (type.endsWith("COMMAND_BUFFER_FULL")) {
            queueFull(track, startNs, endNs, name);
        } else if (type.endsWith("DRIVER_COMPILER") || type.endsWith("_LOADING")) {
            int added = builder.row(RowKind.ANNOTATION, track, startNs, endNs, name);
            builder.attribute(added, Attribute.ACTIVITY, RangeActivity.LOAD.ordinal());
        } else {
            builder.row(RowKind.PROFILER_OVERHEAD, track, startNs, endNs, name);
        }
    }

    /** Adds the wait of a launch until the device has taken earlier work. */
    private void queueFull(int track, long startNs, long endNs, int name) {
        if (!isAfterLastWait(track, startNs, endNs)) {
            builder.stats().count(Reason.NOT_USED, -1, "command buffer full during another wait");
            return;
        }
        int added = builder.row(RowKind.THREAD_STATE, track, startNs, endNs, name);
        builder.attribute(added, Attribute.WAIT_REASON, WaitReason.DRIVER.ordinal());
        builder.attribute(added, Attribute.DETAIL, name);
    }
}
