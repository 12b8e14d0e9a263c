package io.inferscope.formats.rocm;

import io.inferscope.formats.common.SpanRows;
import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.formats.sqlite.SqliteTexts;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.CorrelationLinker;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns rocmProfileData's rows into rows of the timeline. Calls and markers are in rocpd_api, GPU operations in
 * rocpd_op, and rocpd_api_ops joins them: a graph launch with all operations of its graph (ROCm/rocmProfileData,
 * rocpd_python/rocpd/schema_data/tableSchema.cmd).
 */
final class RpdRows implements AutoCloseable {
    private static final String MARKER = "UserMarker";
    /** The tracer's own work between the program's calls. */
    private static final Set<String> TRACER = Set.of("rpdflush", "hcc_activity_callback", "cuptiActivityFlush");

    private static final String TRACER_TABLES = "::writeRows";
    /** Derived from the other tables, or of no use here. */
    private static final List<String> NOT_USED = List.of("rocpd_monitor", "rocpd_barrierop", "rocpd_op_inputSignals");

    private final SqliteFile file;
    private final TimelineBuilder builder;
    private final SqliteTexts strings;
    private final RocmTracks tracks;
    private final CorrelationLinker linker;
    private final SpanRows spans;
    private final Set<Long> operators = new HashSet<>();
    private final Map<Long, Call> calls = new HashMap<>();
    private final Map<Long, Long> callOfOperation = new HashMap<>();

    /** A call that launched an operation. */
    private static final class Call {
        private long process;
        private long sizeBytes = SqliteRow.ABSENT;
        private long kernelName = SqliteRow.ABSENT;
    }

    RpdRows(SqliteFile file, TimelineBuilder builder) throws SQLException {
        this.file = file;
        this.builder = builder;
        this.strings = new SqliteTexts(file, "rocpd_string", "id", "string", builder);
        this.tracks = new RocmTracks(builder);
        this.linker = new CorrelationLinker(builder::startNsAt);
        this.spans = new SpanRows(builder);
    }

    void read() {
        file.scan("rocpd_api_ops", this::pair, "api_id", "op_id");
        file.scan("rocpd_copyapi", row -> call(row.number(0)).sizeBytes = row.number(1), "api_ptr_id", "size");
        file.scan(
                "rocpd_kernelapi",
                row -> call(row.number(0)).kernelName = row.number(1),
                "api_ptr_id",
                "kernelName_id");
        file.scan("ext_autogradapi", row -> operators.add(row.number(0)), "api_ptr_id");
        file.scan("rocpd_api", this::api, "id", "@start", "@end", "pid", "tid", "apiName_id", "args_id");
        file.scan(
                "rocpd_op", this::operation, "id", "@start", "@end", "gpuId", "queueId", "description_id", "opType_id");
        for (String table : NOT_USED) {
            builder.stats().count(Reason.NOT_USED, file.rowCount(table), -1, table);
        }
        linker.link(builder::link);
    }

    private void pair(SqliteRow row) throws SQLException {
        call(row.number(0));
        callOfOperation.put(row.number(1), row.number(0));
    }

    private Call call(long id) {
        return calls.computeIfAbsent(id, unseen -> new Call());
    }

    private void api(SqliteRow row) throws SQLException {
        long id = row.number(0);
        String api = RocmTracks.callName(strings.text(row.number(5)));
        String text = strings.text(row.number(6));
        boolean marker = api.equals(MARKER);
        String name = marker && !text.isEmpty() ? text : api;
        if (!spans.usable(row.number(1), row.number(2), name)) {
            return;
        }
        long process = row.number(3, 0);
        RowKind kind = marker && operators.contains(id) ? RowKind.OPERATOR : kind(api);
        int track = tracks.thread(process, row.number(4, 0));
        int added = builder.row(kind, track, row.number(1), row.number(2), builder.name(name));
        Call call = calls.get(id);
        if (call != null) {
            call.process = process;
            builder.correlation(added, id);
            linker.add(added, kind, process, id);
        }
    }

    private static RowKind kind(String api) {
        if (api.contains("GraphLaunch")) {
            return RowKind.GRAPH_LAUNCH;
        }
        if (api.startsWith("hip") || api.startsWith("cuda") || api.startsWith("__hip")) {
            return RowKind.RUNTIME_CALL;
        }
        return TRACER.contains(api) || api.endsWith(TRACER_TABLES) ? RowKind.PROFILER_OVERHEAD : RowKind.ANNOTATION;
    }

    /** Adds an operation. A graph's operations have type Task; only unknown ones are counted. */
    private void operation(SqliteRow row) throws SQLException {
        String type = strings.text(row.number(6));
        RowKind kind = switch (type) {
            case "KernelExecution", "Task" -> RowKind.KERNEL;
            case "CopyHostToDevice" -> RowKind.MEMCPY_H2D;
            case "CopyDeviceToHost" -> RowKind.MEMCPY_D2H;
            case "CopyDeviceToDevice" -> RowKind.MEMCPY_D2D;
            default ->
                type.startsWith("Fill")
                        ? RowKind.MEMSET
                        : type.startsWith("Copy") ? RowKind.MEMCPY_OTHER : RowKind.INSTANT;
        };
        if (kind == RowKind.INSTANT) {
            builder.stats().event();
            builder.stats().count(Reason.NOT_USED, -1, "operation of type " + type);
            return;
        }
        Long callId = callOfOperation.get(row.number(0));
        Call call = callId == null ? new Call() : call(callId);
        String name = name(kind, row, call);
        if (!spans.usable(row.number(1), row.number(2), name)) {
            return;
        }
        int device = tracks.device(Long.toString(row.number(3, 0)), "");
        int stream = tracks.stream(call.process, device, row.number(4, 0), 0);
        int added = builder.row(kind, stream, row.number(1), row.number(2), builder.name(name));
        if (kind.isMemcpy() && call.sizeBytes > 0) {
            builder.attribute(added, Attribute.SIZE_BYTES, call.sizeBytes);
        }
        if (callId != null) {
            builder.correlation(added, callId);
            linker.add(added, kind, call.process, callId);
        }
    }

    private String name(RowKind kind, SqliteRow row, Call call) throws SQLException {
        if (kind.isMemcpy()) {
            return RocmTracks.copyName(kind);
        }
        if (kind == RowKind.MEMSET) {
            return "Memset";
        }
        String described = strings.text(row.number(5));
        String launched = described.isEmpty() ? strings.text(call.kernelName) : described;
        return launched.isEmpty() ? "kernel " + row.number(0) : launched;
    }

    @Override
    public void close() throws SQLException {
        strings.close();
    }
}
