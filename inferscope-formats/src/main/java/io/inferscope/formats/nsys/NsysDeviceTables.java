package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.spool.CuptiNames;
import io.inferscope.timeline.spool.Launch;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** The tables of device work: kernels, copies, fills, synchronisations and graphs recorded as a whole. */
final class NsysDeviceTables {
    private static final String ACTIVITY = "CUPTI_ACTIVITY_KIND_";
    private static final String[] COMMON = {
        "@start", "@end", "deviceId", "contextId", "streamId", "globalPid", "correlationId"
    };
    private static final int FIRST_OWN = COMMON.length;

    /** Names of CUpti_ActivityMemcpyKind, by value (CUPTI, cupti_activity.h), for exports without their own list. */
    private static final String[] COPY_KINDS = {
        "UNKNOWN",
        "HTOD",
        "DTOH",
        "HTOA",
        "ATOH",
        "ATOA",
        "ATOD",
        "DTOA",
        "DTOD",
        "HTOH",
        "PTOP",
        "UVM_HTOD",
        "UVM_DTOH",
        "UVM_DTOD"
    };

    private final NsysTables tables;
    private final TimelineBuilder builder;
    private final Map<Long, String> memoryKinds = new HashMap<>();
    private final Map<Long, String> copyKinds = new HashMap<>();
    private final Map<Long, String> syncTypes = new HashMap<>();
    private final Map<Context, Long> devices = new HashMap<>();
    private long wholeGraphs;

    /** A context of a process. It is one device's; exports state device 0 for the synchronisations of all contexts. */
    private record Context(long globalPid, long number) {}

    NsysDeviceTables(NsysTables tables) {
        this.tables = tables;
        this.builder = tables.builder();
    }

    static boolean isDeviceTable(String table) {
        return switch (table) {
            case ACTIVITY + "KERNEL", ACTIVITY + "MEMCPY", ACTIVITY + "MEMSET", ACTIVITY + "GRAPH_TRACE" -> true;
            default -> false;
        };
    }

    void read() {
        list("ENUM_CUDA_MEM_KIND", "label", memoryKinds);
        list("ENUM_CUDA_MEMCPY_OPER", "name", copyKinds);
        list("ENUM_CUPTI_SYNC_TYPE", "label", syncTypes);
        scan(
                "KERNEL",
                this::kernel,
                "demangledName",
                "shortName",
                "mangledName",
                "gridX",
                "gridY",
                "gridZ",
                "blockX",
                "blockY",
                "blockZ");
        scan("MEMCPY", this::copy, "copyKind", "srcKind", "dstKind", "bytes");
        scan("MEMSET", this::fill, "memKind", "bytes");
        tables.events().read();
        scan("SYNCHRONIZATION", this::synchronisation, "syncType", "eventId");
        scan("GRAPH_TRACE", this::graph, "graphId");
        if (wholeGraphs > 0) {
            builder.coverage(new Coverage(
                    "nsys CUDA graphs",
                    wholeGraphs,
                    0,
                    "graphs were recorded as a whole: time between their kernels counts as busy, and their kernels have no names; "
                            + "record with --cuda-graph-trace=node"));
        }
    }

    private void list(String table, String column, Map<Long, String> into) {
        tables.scan(table, row -> into.put(row.number(0, -1), row.text(1)), "id", column);
    }

    private void scan(String table, SqliteFile.Sink sink, String... own) {
        String[] columns = java.util.Arrays.copyOf(COMMON, COMMON.length + own.length);
        System.arraycopy(own, 0, columns, COMMON.length, own.length);
        tables.scan(ACTIVITY + table, sink, columns);
    }

    private void kernel(SqliteRow row) throws SQLException {
        int name = 0;
        for (int column = FIRST_OWN; column < FIRST_OWN + 3 && name == 0; column++) {
            name = tables.texts().nameId(row.number(column));
        }
        int added = add(row, RowKind.KERNEL, name);
        int grid = FIRST_OWN + 3;
        if (added >= 0 && row.number(grid) > 0) {
            new Launch(extents(row, grid), extents(row, grid + 3), "").store(builder, added, "");
        }
    }

    private static long[] extents(SqliteRow row, int x) throws SQLException {
        return new long[] {row.number(x, 1), row.number(x + 1, 1), row.number(x + 2, 1)};
    }

    private void copy(SqliteRow row) throws SQLException {
        String direction = direction(row.number(FIRST_OWN));
        String from = memoryKind(row.number(FIRST_OWN + 1));
        String to = memoryKind(row.number(FIRST_OWN + 2));
        String kinds = isMigration(row.number(FIRST_OWN))
                ? direction.startsWith("H") ? "Managed -> Device" : "Device -> Managed"
                : from.isEmpty() && to.isEmpty() ? "" : from + " -> " + to;
        String name = "Memcpy " + direction + (kinds.isEmpty() ? "" : " (" + kinds + ")");
        int added = add(row, CuptiNames.copyKind(direction), builder.name(name));
        if (added >= 0) {
            size(added, row.number(FIRST_OWN + 3));
            if (!kinds.isEmpty()) {
                builder.attribute(added, Attribute.MEMORY_KINDS, builder.name(kinds));
            }
        }
    }

    private String memoryKind(long id) {
        return memoryKinds.getOrDefault(id, "");
    }

    /** Returns a direction as Kineto writes it, such as {@code HtoD}. */
    private String direction(long copyKind) {
        String said = said(copyKind);
        String pair = said.substring(said.lastIndexOf('_') + 1);
        return pair.length() == 4 ? pair.charAt(0) + "to" + pair.charAt(3) : "of unknown direction";
    }

    /** Returns whether pages of unified memory moved by themselves: {@code UVM_HTOD} and so on. */
    private boolean isMigration(long copyKind) {
        return said(copyKind).contains("UVM");
    }

    private String said(long copyKind) {
        String known = copyKind >= 0 && copyKind < COPY_KINDS.length ? COPY_KINDS[(int) copyKind] : "UNKNOWN";
        return copyKinds.getOrDefault(copyKind, known);
    }

    private void fill(SqliteRow row) throws SQLException {
        String kind = memoryKind(row.number(FIRST_OWN));
        int added = add(row, RowKind.MEMSET, builder.name(kind.isEmpty() ? "Memset" : "Memset (" + kind + ")"));
        if (added >= 0) {
            size(added, row.number(FIRST_OWN + 1));
        }
    }

    private void synchronisation(SqliteRow row) throws SQLException {
        long type = row.number(FIRST_OWN);
        int added = add(row, RowKind.DEVICE_SYNC, builder.name(syncTypes.getOrDefault(type, "Synchronisation")));
        if (added >= 0) {
            int stream = builder.trackAt(added);
            tables.events().synchronised(row.number(5), row.number(6, 0), stream, type, row.number(FIRST_OWN + 1));
        }
    }

    /** Adds a graph recorded as a whole as one operation, because its kernels are unknown. */
    private void graph(SqliteRow row) throws SQLException {
        long id = row.number(FIRST_OWN);
        String name = "CUDA graph" + (id == SqliteRow.ABSENT ? "" : " " + id) + " (recorded as a whole)";
        if (add(row, RowKind.KERNEL, builder.name(name)) >= 0) {
            wholeGraphs++;
        }
    }

    private void size(int added, long bytes) {
        if (bytes >= 0) {
            builder.attribute(added, Attribute.SIZE_BYTES, bytes);
        }
    }

    private int add(SqliteRow row, RowKind kind, int name) throws SQLException {
        long startNs = row.number(0);
        long endNs = row.number(1);
        if (!tables.spans().usable(startNs, endNs, builder.text(name))) {
            return -1;
        }
        long globalPid = row.number(5);
        long device = row.number(2);
        if (row.number(3) != SqliteRow.ABSENT) {
            Context context = new Context(globalPid, row.number(3));
            if (kind == RowKind.DEVICE_SYNC) {
                device = devices.getOrDefault(context, device);
            } else {
                devices.putIfAbsent(context, device);
            }
        }
        int track = tables.streamTrack(globalPid, device, row.number(3), row.number(4));
        int added = builder.row(kind, track, startNs, endNs, name);
        long correlation = row.number(6, 0);
        if (correlation != 0) {
            builder.correlation(added, correlation);
            tables.linker().add(added, kind, tables.correlationProcess(globalPid), correlation);
        }
        return added;
    }
}
