package io.inferscope.formats.rocm;

import io.inferscope.formats.common.SpanRows;
import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.CorrelationLinker;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Turns one recording's rows of rocpd into rows of the timeline.
 *
 * <p>An event's stack id in rocpd is the internal correlation id that a call shares with the operations it submitted
 * (rocprofiler-sdk, source/lib/output/generateRocpd.cpp).
 */
final class RocpdRows {
    private static final int PROCESS = 2;
    private static final int THREAD = 3;
    private static final int CATEGORY = 4;
    private static final int CORRELATION = 5;
    private static final int MESSAGE = 6;
    private static final int OWN = 7;

    private final RocpdTables tables;
    private final TimelineBuilder builder;
    private final RocmTracks tracks;
    private final CorrelationLinker linker;
    private final RocpdEvents events;
    private final SpanRows spans;

    RocpdRows(RocpdTables tables, RocmTracks tracks, CorrelationLinker linker, RocpdEvents events) {
        this.tables = tables;
        this.builder = tables.builder();
        this.tracks = tracks;
        this.linker = linker;
        this.events = events;
        this.spans = new SpanRows(builder);
    }

    void read() {
        tables.scan("kernel_dispatch", this::kernel, "agent_id", "queue_id", "stream_id", "kernel_id");
        tables.scan("memory_copy", this::copy, "src_agent_id", "dst_agent_id", "stream_id", "size");
        tables.scan("memory_allocate", this::allocation, "type", "level", "size");
        tables.scan("region", this::region, "name_id", "event_id");
        events.read(tables);
        tables.scan("sample", this::sample);
        names();
        String counters = tables.table("pmc_event");
        builder.stats().count(Reason.NOT_USED, tables.file().rowCount(counters), -1, counters);
    }

    private void kernel(SqliteRow row) throws SQLException {
        String name = tables.kernel(row.number(OWN + 3));
        if (usable(row, name)) {
            int device = device(tables.agent(row.number(OWN)));
            add(row, RowKind.KERNEL, stream(row, device, row.number(OWN + 1), row.number(OWN + 2)), name);
        }
    }

    /** Adds a copy. Its device is the GPU at one of its ends; between GPUs, the source. */
    private void copy(SqliteRow row) throws SQLException {
        RocmTracks.Agent from = tables.agent(row.number(OWN));
        RocmTracks.Agent to = tables.agent(row.number(OWN + 1));
        if (!from.gpu() && !to.gpu()) {
            builder.stats().event();
            builder.stats().count(Reason.NOT_USED, -1, "memory_copy between hosts");
            return;
        }
        RowKind kind = RocmTracks.copyKind(from.gpu(), to.gpu(), from.key().equals(to.key()));
        String name = RocmTracks.copyName(kind);
        if (usable(row, name)) {
            int device = device(from.gpu() ? from : to);
            int added = add(row, kind, stream(row, device, SqliteRow.ABSENT, row.number(OWN + 2)), name);
            size(added, row.number(OWN + 3));
        }
    }

    private void allocation(SqliteRow row) throws SQLException {
        String name = "MEMORY_ALLOCATION_" + row.text(OWN);
        if (!usable(row, name)) {
            return;
        }
        if (row.text(OWN + 1).equals("SCRATCH")) {
            builder.stats().count(Reason.NOT_USED, -1, "scratch memory");
            return;
        }
        size(add(row, RowKind.DRIVER_CALL, thread(row), name), row.number(OWN + 2));
    }

    private void size(int row, long bytes) {
        if (bytes >= 0) {
            builder.attribute(row, Attribute.SIZE_BYTES, bytes);
        }
    }

    private void region(SqliteRow row) throws SQLException {
        String name = RocmTracks.callName(tables.string(row.number(OWN)));
        String message = row.text(MESSAGE);
        if (!usable(row, name)) {
            return;
        }
        RowKind kind = regionKind(tables.string(row.number(CATEGORY)), name);
        String text = kind == RowKind.ANNOTATION && !message.isEmpty() ? message : name;
        if (text.startsWith("roctxGet")) {
            builder.stats().count(Reason.NOT_USED, -1, text);
            return;
        }
        int added = add(row, kind, thread(row), text);
        if (kind == RowKind.RUNTIME_CALL || kind == RowKind.GRAPH_LAUNCH) {
            events.called(row.number(OWN + 1), added, name);
        }
    }

    /** Returns the kind by the category, whose names begin with the API's; without a category, by the call's name. */
    private static RowKind regionKind(String category, String name) {
        if (name.contains("GraphLaunch")) {
            return RowKind.GRAPH_LAUNCH;
        }
        if (category.startsWith("MARKER")) {
            return RowKind.ANNOTATION;
        }
        if (category.startsWith("HIP") || name.startsWith("hip") || name.startsWith("__hip")) {
            return RowKind.RUNTIME_CALL;
        }
        if (category.startsWith("HSA") || name.startsWith("hsa_")) {
            return RowKind.DRIVER_CALL;
        }
        boolean library = category.startsWith("RCCL") || category.startsWith("ROC") || name.startsWith("nccl");
        return library ? RowKind.OPERATOR : RowKind.ANNOTATION;
    }

    /** A mark has a text; a call that took no time has none. */
    private void sample(SqliteRow row) throws SQLException {
        String text = row.text(MESSAGE);
        long atNs = row.number(0);
        if (!spans.usable(atNs, atNs, text)) {
            return;
        }
        if (text.isEmpty()) {
            builder.stats().count(Reason.NOT_USED, -1, "instant of " + tables.string(row.number(CATEGORY)));
            return;
        }
        builder.row(RowKind.INSTANT, thread(row), atNs, atNs, builder.name(text));
    }

    private boolean usable(SqliteRow row, String name) throws SQLException {
        return spans.usable(row.number(0), row.number(1), name);
    }

    private int device(RocmTracks.Agent agent) {
        return tracks.device(agent.key(), agent.name());
    }

    private int stream(SqliteRow row, int device, long queue, long stream) throws SQLException {
        return tracks.stream(row.number(PROCESS, 0), device, queue, stream);
    }

    private int thread(SqliteRow row) throws SQLException {
        return tracks.thread(row.number(PROCESS, 0), row.number(THREAD, 0));
    }

    private int add(SqliteRow row, RowKind kind, int track, String name) throws SQLException {
        int added = builder.row(kind, track, row.number(0), row.number(1), builder.name(name));
        long correlation = row.number(CORRELATION, 0);
        if (correlation > 0) {
            builder.correlation(added, correlation);
            linker.add(added, kind, row.number(PROCESS, 0), correlation);
        }
        return added;
    }

    /** Reads names given by users. A process' command may contain secrets and is not read. */
    private void names() {
        tables.file()
                .scan(
                        tables.table("info_process"),
                        row -> name(tracks.knownProcess(row.number(0, 0)), row.text(1)),
                        "pid",
                        "name");
        tables.file()
                .scan(
                        tables.table("info_thread"),
                        row -> name(tracks.knownThread(row.number(0, 0), row.number(1, 0)), row.text(2)),
                        "pid",
                        "tid",
                        "name");
    }

    private void name(@Nullable Integer track, String name) {
        if (track != null && !name.isEmpty()) {
            builder.trackName(track, name);
        }
    }
}
