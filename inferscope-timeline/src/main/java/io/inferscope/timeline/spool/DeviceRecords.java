package io.inferscope.timeline.spool;

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
        stamps = new DeviceStamps(fields, clock, unrecorded);
        ranges = new DeviceRanges(header.pid(), fields, stamps);
    }

    /** Returns whether the record was one of the agent's. */
    boolean accept(SpoolRecordView view) {
        switch (view.type()) {
            case SpoolRecordView.KERNEL -> kernel(view);
            case SpoolRecordView.MEMCPY -> copy(view);
            case SpoolRecordView.MEMSET -> fill(view);
            case SpoolRecordView.API_CALL -> call(view);
            case SpoolRecordView.SYNC -> synchronisation(view);
            case SpoolRecordView.RECORDER_TIME -> ranges.recorderTime(view);
            case SpoolRecordView.EXTERNAL_ID -> externalId(view);
            case SpoolRecordView.CUDA_EVENT ->
                waits.recorded(view.u32(8), lanes.track(view.i32(12), view.i32(16)), view.i32(20));
            case SpoolRecordView.MARKER -> ranges.marker(view);
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
        long startNs = stamps.axisNs(view, view.i64(8));
        long endNs = startNs == DeviceClock.UNPLACED ? startNs : stamps.axisNs(view, view.i64(16));
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

    private void call(SpoolRecordView view) {
        String name = fields.text(view, 32);
        RowKind kind = (view.flags() & FLAG_DRIVER) != 0 ? RowKind.DRIVER_CALL : RowKind.RUNTIME_CALL;
        if (name.contains("GraphLaunch")) {
            kind = RowKind.GRAPH_LAUNCH;
        }
        int id = builder.name(name.isEmpty() ? "unknown call" : name);
        int row = row(view, kind, ranges.thread(view.i32(28), view.flags()), id);
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

    /** Links, and says what was recorded. Returns what to add to the report's coverage, if there is anything to say. */
    Optional<Coverage> finish() {
        ranges.finish();
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
