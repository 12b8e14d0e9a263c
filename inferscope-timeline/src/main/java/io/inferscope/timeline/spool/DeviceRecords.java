package io.inferscope.timeline.spool;

import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.importer.EventWaits;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Turns what the CUDA agent stored of one process into rows and links. */
final class DeviceRecords {
    private static final int FLAG_DRIVER = 1;
    private static final int FLAG_BEGIN = 1;
    private static final int FLAG_END = 2;
    private static final int FLAG_THREAD_UNKNOWN = 4;

    private final SpoolFields fields;
    private final SpoolRun run;
    private final TimelineBuilder builder;
    private final SpoolHeader header;
    private final DeviceClock clock;
    private final DeviceLanes lanes;
    private final CorrelationLinker linker;
    private final UnrecordedTime unrecorded;
    private final EventWaits waits;
    private final Map<Integer, Integer> openRanges = new HashMap<>();
    private final Map<Long, Long> externalIds = new HashMap<>();
    private long operations;
    private long calls;

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
    }

    /** Returns whether the record was one of the agent's. */
    boolean accept(SpoolRecordView view) {
        switch (view.type()) {
            case SpoolRecordView.KERNEL -> kernel(view);
            case SpoolRecordView.MEMCPY -> copy(view);
            case SpoolRecordView.MEMSET -> fill(view);
            case SpoolRecordView.API_CALL -> call(view);
            case SpoolRecordView.SYNC -> synchronisation(view);
            case SpoolRecordView.RECORDER_TIME -> recorderTime(view);
            case SpoolRecordView.EXTERNAL_ID -> externalId(view);
            case SpoolRecordView.CUDA_EVENT ->
                waits.recorded(view.u32(8), lanes.track(view.i32(12), view.i32(16)), view.i32(20));
            case SpoolRecordView.MARKER -> marker(view);
            case SpoolRecordView.LANE -> lanes.lane(view);
            case SpoolRecordView.SHAPE -> lanes.shape(view);
            case SpoolRecordView.DEVICE -> lanes.device(view);
            case SpoolRecordView.CONTEXT -> lanes.context(view);
            case SpoolRecordView.HEARD -> unrecorded.heard(view.i64(8), view.fileOffset());
            default -> {
                return false;
            }
        }
        return true;
    }

    private void kernel(SpoolRecordView view) {
        int row = operation(view, RowKind.KERNEL, fields.name(view, 32));
        if (row >= 0) {
            int shape = lanes.shape(view.i32(36));
            String graph = graph(view, 40);
            if (!graph.isEmpty()) {
                shape = builder.name(shape == 0 ? graph : builder.text(shape) + ", " + graph);
            }
            detail(row, shape);
        }
    }

    private static String graph(SpoolRecordView view, int field) {
        return view.i64(field) == 0
                ? ""
                : "graph " + view.u32(field + 8) + " node " + Long.toUnsignedString(view.i64(field));
    }

    private void detail(int row, int name) {
        if (name != 0) {
            builder.attribute(row, Attribute.DETAIL, name);
        }
    }

    private void copy(SpoolRecordView view) {
        int kinds = view.i32(40);
        int from = kinds >>> 8 & 0xff;
        int to = kinds >>> 16 & 0xff;
        int name = builder.name(CuptiWords.copyName(kinds & 0xff, from, to));
        int row = operation(view, CuptiWords.copyKind(kinds & 0xff), name);
        if (row >= 0) {
            builder.attribute(row, Attribute.SIZE_BYTES, Math.max(0, view.i64(32)));
            String words = CuptiWords.memoryKinds(from, to);
            if (!words.isEmpty()) {
                builder.attribute(row, Attribute.MEMORY_KINDS, builder.name(words));
            }
            detail(row, graphName(view));
        }
    }

    private int graphName(SpoolRecordView view) {
        String graph = graph(view, 48);
        return graph.isEmpty() ? 0 : builder.name(graph);
    }

    private void fill(SpoolRecordView view) {
        int row = operation(view, RowKind.MEMSET, builder.name(CuptiWords.fillName(view.u16(44))));
        if (row >= 0) {
            builder.attribute(row, Attribute.SIZE_BYTES, Math.max(0, view.i64(32)));
            detail(row, graphName(view));
        }
    }

    /** Adds an operation of a device; -1 when it cannot be placed. */
    private int operation(SpoolRecordView view, RowKind kind, int name) {
        int track = lanes.track(view.i32(28));
        if (track < 0) {
            fields.count(Reason.BAD_RECORD, view, "the stream's record is lost");
            return -1;
        }
        int row = row(view, kind, track, name);
        operations += row >= 0 ? 1 : 0;
        return row;
    }

    /** Adds a row whose stamps are at 8 and 16 and whose correlation id is at 24; -1 when it cannot be placed. */
    private int row(SpoolRecordView view, RowKind kind, int track, int name) {
        long startNs = axisNs(view, view.i64(8));
        long endNs = startNs == DeviceClock.UNPLACED ? startNs : axisNs(view, view.i64(16));
        if (endNs == DeviceClock.UNPLACED || !fields.isInterval(view, startNs, endNs)) {
            return -1;
        }
        if (clock.isOfCounter(view.i64(8), view.fileOffset())) {
            fields.count(Reason.OTHER_CLOCK, view, "");
        }
        int row = builder.row(kind, track, startNs, endNs, name);
        long correlation = view.u32(24);
        if (correlation != 0 && (kind.isOnStream() || kind.isApiCall())) {
            builder.correlation(row, correlation);
            linker.add(row, kind, header.pid(), correlation);
        }
        if (kind.isApiCall()) {
            fields.seen(header.pid(), endNs);
        }
        return row;
    }

    private long axisNs(SpoolRecordView view, long deviceNs) {
        long axisNs = deviceNs > 0 ? clock.toAxisNs(deviceNs, view.fileOffset()) : DeviceClock.UNPLACED;
        if (axisNs == DeviceClock.UNPLACED) {
            fields.count(Reason.BAD_TIMESTAMP, view, "stamp " + deviceNs + " is not one of CUPTI's clock");
            unrecorded.unplaced(view.fileOffset());
        }
        return axisNs;
    }

    private int thread(int tid, int flags) {
        return (flags & FLAG_THREAD_UNKNOWN) != 0 ? run.endedThread(header.pid(), tid) : run.thread(header.pid(), tid);
    }

    private void call(SpoolRecordView view) {
        String name = fields.text(view, 32);
        RowKind kind = (view.flags() & FLAG_DRIVER) != 0 ? RowKind.DRIVER_CALL : RowKind.RUNTIME_CALL;
        if (name.contains("GraphLaunch")) {
            kind = RowKind.GRAPH_LAUNCH;
        }
        int id = builder.name(name.isEmpty() ? "unknown call" : name);
        int row = row(view, kind, thread(view.i32(28), view.flags()), id);
        if (row >= 0) {
            calls++;
            unrecorded.recorded(builder.startNsAt(row));
            waits.call(view.u32(24), row, name);
            Long external = externalIds.remove(view.u32(24));
            if (external != null) {
                builder.attribute(row, Attribute.SEQUENCE, external);
            }
        }
    }

    /** PyTorch numbers operators by the first custom kind and the user's ranges by the second, for the same call. */
    private void externalId(SpoolRecordView view) {
        if (view.i32(20) != CuptiWords.EXTERNAL_CUSTOM1) {
            externalIds.put(view.u32(16), view.i64(8));
        }
    }

    private void synchronisation(SpoolRecordView view) {
        int type = view.i32(40);
        int track = lanes.track(view.i32(28), view.i32(32));
        int row = row(view, RowKind.DEVICE_SYNC, track, builder.name(CuptiWords.synchronisation(type)));
        if (row >= 0 && type == CuptiWords.STREAM_WAIT_EVENT) {
            waits.waits(view.u32(24), track, view.i32(36));
        } else if (row >= 0 && type == CuptiWords.EVENT_SYNC) {
            waits.hostWaits(view.u32(24), view.i32(36));
        }
    }

    private void recorderTime(SpoolRecordView view) {
        String what = CuptiWords.overhead(view.i32(24));
        if (what.isEmpty() || view.i32(28) == 0) {
            fields.count(Reason.NOT_USED, view, "overhead of CUPTI's kind " + view.i32(24));
            return;
        }
        boolean loading = CuptiWords.isLoading(view.i32(24));
        long startNs = axisNs(view, view.i64(8));
        long endNs = axisNs(view, view.i64(16));
        if (startNs == DeviceClock.UNPLACED
                || endNs == DeviceClock.UNPLACED
                || !fields.isInterval(view, startNs, endNs)) {
            return;
        }
        RowKind kind = loading ? RowKind.ANNOTATION : RowKind.PROFILER_OVERHEAD;
        int row = builder.row(kind, run.thread(header.pid(), view.i32(28)), startNs, endNs, builder.name(what));
        if (loading) {
            builder.attribute(row, Attribute.ACTIVITY, Activity.LOAD.ordinal());
        }
    }

    private void marker(SpoolRecordView view) {
        long timeNs = axisNs(view, view.i64(8));
        if (timeNs == DeviceClock.UNPLACED) {
            return;
        }
        boolean ends = (view.flags() & FLAG_END) != 0;
        if (ends) {
            Integer row = openRanges.remove(view.i32(16));
            if (row == null) {
                fields.count(Reason.UNMATCHED_END, view, "NVTX range");
            } else {
                builder.end(row, timeNs);
            }
            return;
        }
        boolean begins = (view.flags() & FLAG_BEGIN) != 0;
        NvtxName name = NvtxName.of(fields.text(view, 24));
        RowKind range = name.isOperator() ? RowKind.OPERATOR : RowKind.ANNOTATION;
        int track = thread(view.i32(20), view.flags());
        int row = builder.row(begins ? range : RowKind.INSTANT, track, timeNs, timeNs, builder.name(name.text()));
        fields.textAttribute(view, 28, row, Attribute.DETAIL);
        if (begins) {
            openRanges.put(view.i32(16), row);
        }
    }

    /** Links, and says what was recorded. Returns what to add to the report's coverage, if there is anything to say. */
    Optional<Coverage> finish() {
        for (int row : openRanges.values()) {
            run.openSpan(row, header.pid(), fields.lastNs());
        }
        builder.stats().count(Reason.OPEN_SPAN, openRanges.size(), -1, "NVTX range");
        Causality causality = new Causality(builder);
        linker.link((kind, from, to, confidence) -> {
            builder.link(kind, from, to, confidence);
            causality.add(from, to);
            waits.launched(from, to);
        });
        waits.link();
        if (!clock.readings().isEmpty()) {
            run.deviceClock(clock.domain(causality.worstNs()));
        }
        if (unrecorded.totalNs() > 0) {
            run.deviceUnrecorded(unrecorded.totalNs());
        }
        long recorded = operations + calls;
        return recorded == 0 && unrecorded.why().isEmpty()
                ? Optional.empty()
                : Optional.of(new Coverage(header.source(), recorded, header.dropped(), unrecorded.why()));
    }
}
