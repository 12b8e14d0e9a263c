package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RecordingPace;
import io.inferscope.timeline.RecordingPace.Detail;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.importer.EventWaits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Turns the CUDA agent's records of one process into rows and links. */
final class DeviceRecords {
    private static final String WHOLE_GRAPHS =
            "graphs were recorded as a whole: time between their kernels counts as busy; without `--gpu-graphs whole` each kernel is recorded";

    private static final String SHARED_IDS =
            "CUPTI gave all launches of graphs one id, as it does before CUDA 13.1 Update 1 once its records were off: a replay"
                    + " counts for the last launch before it";

    private static final long LONG_NS = 600_000_000_000L;

    private final SpoolFields fields;
    private final SpoolRun run;
    private final TimelineBuilder builder;
    private final SpoolHeader header;
    private final DeviceClock clock;
    private final DeviceLanes lanes;
    private final CorrelationLinker linker;
    private final UnrecordedTime unrecorded;
    private final EventWaits waits;
    private final DeviceStamps stamps;
    private final DeviceRanges ranges;
    private final LaunchRecords launches;
    private final Map<String, String> notes = new HashMap<>();
    private final Map<Long, Long> externalIds = new HashMap<>();
    private final List<GraphLaunch> driverGraphLaunches = new ArrayList<>();
    private final Set<Long> graphLaunches = new HashSet<>();
    /** Functions of the host by the stream that ran them. */
    private final Map<Integer, List<Integer>> hostFunctions = new HashMap<>();

    private long operations;
    private long wholeGraphs;
    private long calls;
    /** Whether every launch and operation that was stored could be placed. */
    private boolean isWhole = true;

    private boolean withoutCalls;

    /**
     * A graph launch by the driver API: the program's own call, or one made by the runtime's launch of the same
     * correlation id.
     */
    private record GraphLaunch(int track, long startNs, long endNs, int name, long correlation) {}

    DeviceRecords(SpoolHeader header, SpoolFields fields, SpoolContext context) {
        this.header = header;
        this.fields = fields;
        clock = context.clock();
        run = fields.run();
        builder = run.builder();
        lanes = new DeviceLanes(fields, header.pid(), context.devices());
        linker = new CorrelationLinker(builder::startNsAt);
        unrecorded = new UnrecordedTime(clock, header.closedCleanly());
        waits = new EventWaits(builder);
        stamps = new DeviceStamps(fields, clock, unrecorded);
        ranges = new DeviceRanges(header.pid(), fields, stamps);
        launches = new LaunchRecords(builder, lanes);
    }

    /** Returns whether the record was one of the agent's. */
    boolean accept(SpoolRecordView view) {
        switch (view.type()) {
            case KERNEL -> kernel(view);
            case MEMCPY -> copy(view);
            case MEMSET -> fill(view);
            case API_CALL -> call(view);
            case SYNC -> synchronisation(view);
            case RECORDER_TIME -> ranges.recorderTime(view);
            case EXTERNAL_ID -> externalId(view);
            case CUDA_EVENT ->
                waits.recorded(
                        view.u32(CUDA_EVENT_CORRELATION),
                        lanes.track(view.i32(CUDA_EVENT_CONTEXT), view.i32(CUDA_EVENT_STREAM)),
                        view.i32(CUDA_EVENT_EVENT));
            case MARKER -> ranges.marker(view);
            case LANE -> lanes.lane(view);
            case CONFIGURATION -> lanes.configuration(view);
            case DEVICE -> lanes.device(view);
            case CONTEXT -> lanes.context(view);
            case HEARD -> unrecorded.heard(view.i64(HEARD_CUPTI_NS), view.fileOffset());
            case NOT_RECORDED -> unrecorded.paused(view.i64(NOT_RECORDED_START_NS), view.i64(NOT_RECORDED_END_NS));
            case GRAPH_REPLAY -> wholeGraph(view);
            case LAUNCH -> launch(view);
            case HOST_FUNCTION -> hostFunction(view);
            case PACE -> {
                if (header.pid() == 0) {
                    return false;
                }
                pace(view);
            }
            case KERNEL_HASH -> launches.hash(fields.name(view, KERNEL_HASH_NAME), view.i32(KERNEL_HASH_HASH));
            case RECORDED_ONLY -> {
                unrecorded.only(view.i64(RECORDED_ONLY_START_NS), view.i64(RECORDED_ONLY_END_NS));
                run.deviceWindow(view.i64(RECORDED_ONLY_START_NS), view.i64(RECORDED_ONLY_END_NS));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void kernel(SpoolRecordView view) {
        int row = operation(view, RowKind.KERNEL, fields.name(view, KERNEL_NAME));
        if (row >= 0) {
            lanes.launch(view.i32(KERNEL_CONFIGURATION)).store(builder, row, graph(view, KERNEL_GRAPH));
            replayed(view, row, KERNEL_GRAPH);
        }
    }

    private void replayed(SpoolRecordView view, int row, int field) {
        launches.operation(row, view.u32(field + GRAPH_ID), view.i64(field + GRAPH_NODE));
    }

    /** Adds a call that a hook saw. */
    private void launch(SpoolRecordView view) {
        long startNs = startNs(view);
        int track = ranges.thread(view.i32(LAUNCH_TID), view.flags(), startNs);
        int row = row(view, LaunchRecords.kind(view), track, fields.name(view, LAUNCH_NAME), startNs);
        isWhole &= row >= 0;
        if (row >= 0) {
            calls++;
            unrecorded.recorded(startNs);
            launches.launch(view, row);
        }
    }

    /** Adds a graph launch without recorded kernels; the time between its kernels counts as busy. */
    private void wholeGraph(SpoolRecordView view) {
        int name = builder.name("CUDA graph " + view.u32(GRAPH_REPLAY_GRAPH) + " (recorded as a whole)");
        wholeGraphs += operation(view, RowKind.KERNEL, name) >= 0 ? 1 : 0;
    }

    /** Adds a function of the host on its thread; which operation waited for it is known when all are. */
    private void hostFunction(SpoolRecordView view) {
        int stream = lanes.track(view.i32(HOST_FUNCTION_LANE));
        long startNs = startNs(view);
        if (stream < 0 || startNs == DeviceClock.UNPLACED) {
            fields.count(Reason.BAD_RECORD, view, "the stream's record is lost");
            return;
        }
        int graph = view.i32(HOST_FUNCTION_GRAPH);
        int name = builder.name(graph == 0 ? "host function in a stream" : "host function in a CUDA graph");
        int track = ranges.thread(view.i32(HOST_FUNCTION_TID), view.flags(), startNs);
        int row = row(view, RowKind.HOST_FUNCTION, track, name, startNs);
        if (row >= 0) {
            hostFunctions.computeIfAbsent(stream, unused -> new ArrayList<>()).add(row);
        }
    }

    /** Links functions of the host to the next operation of their stream. */
    private void linkHostFunctions() {
        Map<Integer, TreeMap<Long, Integer>> operationsOf = new HashMap<>();
        for (int row = 0; !hostFunctions.isEmpty() && row < builder.rowCount(); row++) {
            if (builder.kindAt(row).isDeviceOperation() && hostFunctions.containsKey(builder.trackAt(row))) {
                operationsOf
                        .computeIfAbsent(builder.trackAt(row), unused -> new TreeMap<>())
                        .put(builder.startNsAt(row), row);
            }
        }
        hostFunctions.forEach((stream, functions) -> {
            TreeMap<Long, Integer> operations = operationsOf.getOrDefault(stream, new TreeMap<>());
            functions.sort(Order.comparingLong(builder::startNsAt));
            for (int function : functions) {
                Map.Entry<Long, Integer> next = operations.ceilingEntry(builder.endNsAt(function));
                if (next != null) {
                    builder.link(LinkKind.HOST_FUNCTION, function, next.getValue(), 100);
                }
            }
        });
    }

    private static String graph(SpoolRecordView view, int field) {
        long node = view.i64(field + GRAPH_NODE);
        return node == 0 ? "" : "graph " + view.u32(field + GRAPH_ID) + " node " + Long.toUnsignedString(node);
    }

    private void copy(SpoolRecordView view) {
        int direction = view.u8(MEMCPY_DIRECTION);
        int from = view.u8(MEMCPY_FROM_KIND);
        int to = view.u8(MEMCPY_TO_KIND);
        int name = builder.name(CuptiNames.copyName(direction, from, to));
        int row = operation(view, CuptiNames.copyKind(direction), name);
        if (row >= 0) {
            builder.attribute(row, Attribute.SIZE_BYTES, Math.max(0, view.i64(MEMCPY_SIZE_BYTES)));
            String words = CuptiNames.memoryKinds(from, to);
            if (!words.isEmpty()) {
                builder.attribute(row, Attribute.MEMORY_KINDS, builder.name(words));
            }
            Launch.UNKNOWN.store(builder, row, graph(view, MEMCPY_GRAPH));
            replayed(view, row, MEMCPY_GRAPH);
        }
    }

    private void fill(SpoolRecordView view) {
        int row = operation(view, RowKind.MEMSET, builder.name(CuptiNames.fillName(view.u16(MEMSET_MEMORY_KIND))));
        if (row >= 0) {
            builder.attribute(row, Attribute.SIZE_BYTES, Math.max(0, view.i64(MEMSET_SIZE_BYTES)));
            Launch.UNKNOWN.store(builder, row, graph(view, MEMSET_GRAPH));
            replayed(view, row, MEMSET_GRAPH);
        }
    }

    /** Adds an operation of a device; -1 when it cannot be placed. */
    private int operation(SpoolRecordView view, RowKind kind, int name) {
        int track = lanes.track(view.i32(OPERATION_LANE));
        if (track < 0) {
            fields.count(Reason.BAD_RECORD, view, "the stream's record is lost");
        }
        int row = track < 0 ? -1 : row(view, kind, track, name);
        operations += row >= 0 ? 1 : 0;
        isWhole &= row >= 0;
        return row;
    }

    /** Adds a row of a record that begins as TIMED does; -1 when it cannot be placed. */
    private int row(SpoolRecordView view, RowKind kind, int track, int name) {
        if (kind.isDeviceOperation() && view.i64(TIMED_START_CUPTI_NS) == 0 && view.i64(TIMED_END_CUPTI_NS) == 0) {
            fields.count(Reason.NOT_TIMED, view, "");
            return -1;
        }
        return row(view, kind, track, name, startNs(view));
    }

    private long startNs(SpoolRecordView view) {
        return stamps.axisNs(view, view.i64(TIMED_START_CUPTI_NS));
    }

    private int row(SpoolRecordView view, RowKind kind, int track, int name, long startNs) {
        long endNs = startNs == DeviceClock.UNPLACED ? startNs : stamps.axisNs(view, view.i64(TIMED_END_CUPTI_NS));
        if (endNs == DeviceClock.UNPLACED || !fields.isInterval(view, startNs, endNs)) {
            return -1;
        }
        if (clock.isOfCounter(view.i64(TIMED_START_CUPTI_NS), view.fileOffset())) {
            fields.count(Reason.OTHER_CLOCK, view, "");
        }
        return row(kind, track, startNs, endNs, name, view.u32(TIMED_CORRELATION));
    }

    private int row(RowKind kind, int track, long startNs, long endNs, int name, long correlation) {
        int row = builder.row(kind, track, startNs, endNs, name);
        boolean nested = kind == RowKind.DRIVER_CALL && graphLaunches.contains(correlation);
        if (correlation != 0 && !nested && (kind.isOnStream() || kind.isApiCall())) {
            builder.correlation(row, correlation);
            linker.add(row, kind, header.pid(), correlation);
        }
        if (kind.isApiCall()) {
            fields.seen(header.pid(), endNs);
        }
        return row;
    }

    private void call(SpoolRecordView view) {
        String name = fields.text(view, API_CALL_NAME);
        RowKind kind = (view.flags() & API_CALL_FLAG_DRIVER) != 0 ? RowKind.DRIVER_CALL : RowKind.RUNTIME_CALL;
        int id = builder.name(name.isEmpty() ? "unknown call" : name);
        long startNs = startNs(view);
        int track = ranges.thread(view.i32(API_CALL_TID), view.flags(), startNs);
        if (name.contains("GraphLaunch")) {
            if (kind == RowKind.DRIVER_CALL) {
                driverGraphLaunch(view, track, id, startNs);
                return;
            }
            kind = RowKind.GRAPH_LAUNCH;
            graphLaunches.add(view.u32(TIMED_CORRELATION));
        }
        int row = row(view, kind, track, id, startNs);
        if (row >= 0) {
            calls++;
            unrecorded.recorded(builder.startNsAt(row));
            waits.call(view.u32(TIMED_CORRELATION), row, name);
            Long external = externalIds.remove(view.u32(TIMED_CORRELATION));
            if (external != null) {
                builder.attribute(row, Attribute.SEQUENCE, external);
            }
        }
    }

    /** The runtime's launch around this one may be stored later, so the row is added at the end of the import. */
    private void driverGraphLaunch(SpoolRecordView view, int track, int name, long startNs) {
        long endNs = startNs == DeviceClock.UNPLACED ? startNs : stamps.axisNs(view, view.i64(TIMED_END_CUPTI_NS));
        if (endNs != DeviceClock.UNPLACED && fields.isInterval(view, startNs, endNs)) {
            calls++;
            unrecorded.recorded(startNs);
            driverGraphLaunches.add(new GraphLaunch(track, startNs, endNs, name, view.u32(TIMED_CORRELATION)));
        }
    }

    private void addDriverGraphLaunches() {
        for (GraphLaunch launch : driverGraphLaunches) {
            RowKind kind = graphLaunches.contains(launch.correlation) ? RowKind.DRIVER_CALL : RowKind.GRAPH_LAUNCH;
            int row = row(kind, launch.track, launch.startNs, launch.endNs, launch.name, launch.correlation);
            waits.call(launch.correlation, row, builder.text(launch.name));
        }
    }

    /**
     * For each call PyTorch stores the id of its operator with the first custom kind, and the id of the user's range
     * with the second.
     */
    private void externalId(SpoolRecordView view) {
        if (view.i32(EXTERNAL_ID_KIND) != CuptiNames.EXTERNAL_CUSTOM1) {
            externalIds.put(view.u32(EXTERNAL_ID_CORRELATION), view.i64(EXTERNAL_ID_ID));
        }
    }

    private void synchronisation(SpoolRecordView view) {
        int type = view.i32(SYNC_KIND);
        int track = lanes.track(view.i32(SYNC_CONTEXT), view.i32(SYNC_STREAM));
        int row = row(view, RowKind.DEVICE_SYNC, track, builder.name(CuptiNames.synchronisation(type)));
        if (row >= 0 && type == CuptiNames.STREAM_WAIT_EVENT) {
            waits.waits(view.u32(TIMED_CORRELATION), track, view.i32(SYNC_EVENT));
        } else if (row >= 0 && type == CuptiNames.EVENT_SYNC) {
            waits.hostWaits(view.u32(TIMED_CORRELATION), view.i32(SYNC_EVENT));
        }
    }

    private void pace(SpoolRecordView view) {
        RecordingPace stretch = stretch(view);
        run.devicePace(header.pid(), stretch);
        if (stretch.detail() == Detail.LAUNCHES || stretch.detail() == Detail.KERNELS) {
            withoutCalls = true;
            unrecorded.silent(stretch.startNs(), stretch.endNs());
        }
    }

    static RecordingPace stretch(SpoolRecordView view) {
        return new RecordingPace(
                Detail.values()[Math.min(view.u16(PACE_DETAIL), DETAIL_OFF)],
                view.i64(PACE_START_NS),
                view.i64(PACE_END_NS),
                view.i64(PACE_LAUNCHES),
                (view.flags() & PACE_FLAG_CONTENDED) != 0 ? -view.i64(PACE_BUSY_NS) : view.i64(PACE_BUSY_NS));
    }

    /** Takes what the agent notes about itself. */
    void note(String key, String value) {
        notes.put(key, value);
        if (key.equals("gpu_detail") && !value.equals("auto")) {
            withoutCalls = true;
            if (!value.equals("calls")) {
                unrecorded.silent();
            }
        }
    }

    /** Adds coverage for each known defect of this libcupti that shows under the circumstances of this recording. */
    private void defects() {
        Optional<Integer> api = CuptiDefects.api(notes.getOrDefault("cupti", ""));
        boolean again = unrecorded.wasInterrupted();
        Map<String, Boolean> circumstances = Map.of(
                "any",
                true,
                "calls-off",
                withoutCalls,
                "again",
                unrecorded.hasPauses(),
                "graphs-again",
                again && (!graphLaunches.isEmpty() || !driverGraphLaunches.isEmpty()),
                "long",
                !again && unrecorded.lengthNs() > LONG_NS,
                "hardware",
                notes.containsKey("hardware_tracing"));
        for (CuptiDefects.Defect defect : api.isPresent() ? CuptiDefects.ALL : List.<CuptiDefects.Defect>of()) {
            if (defect.isIn(api.orElseThrow()) && circumstances.getOrDefault(defect.when(), false)) {
                run.coverage(new Coverage(
                        "libcupti: " + defect.id(), 0, 0, "known defect: " + defect.what() + "; " + defect.remedy()));
            }
        }
    }

    /** Links operations to their calls. Returns the device's coverage, empty when nothing was recorded or lost. */
    Optional<Coverage> finish() {
        ranges.finish();
        addDriverGraphLaunches();
        EarlyStarts causality = new EarlyStarts(builder);
        CorrelationLinker.Edges edges = (kind, from, to, confidence) -> {
            builder.link(kind, from, to, confidence);
            launches.linked(to);
            causality.add(from, to);
            waits.launched(from, to);
        };
        long sharedIds = linker.link(edges);
        boolean isCutOut =
                isWhole && header.dropped() == 0 && unrecorded.totalNs() == 0 && !unrecorded.wasInterrupted();
        launches.match(edges, isCutOut).forEach(run::coverage);
        waits.link();
        linkHostFunctions();
        if (!clock.readings().isEmpty()) {
            run.deviceClock(clock.domain(causality.worstNs()));
        }
        if (unrecorded.totalNs() > 0) {
            run.deviceUnrecorded(unrecorded.totalNs(), unrecorded.hasInvalidWork());
        }
        if (wholeGraphs > 0) {
            run.coverage(new Coverage("CUDA graphs", wholeGraphs, 0, WHOLE_GRAPHS));
        }
        defects();
        if (sharedIds > 0) {
            run.coverage(new Coverage("CUDA graph launches", sharedIds, 0, SHARED_IDS));
        }
        long recorded = operations + calls;
        return recorded == 0 && unrecorded.why().isEmpty()
                ? Optional.empty()
                : Optional.of(new Coverage(header.source(), recorded, header.dropped(), unrecorded.why()));
    }
}
