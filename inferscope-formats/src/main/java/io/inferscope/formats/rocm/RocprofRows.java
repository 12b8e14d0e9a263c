package io.inferscope.formats.rocm;

import io.inferscope.formats.common.SpanRows;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.CorrelationLinker;

/** Turns records of rocprofiler-sdk into rows. */
final class RocprofRows {
    private final TimelineBuilder builder;
    private final RocmTracks tracks;
    private final SpanRows spans;
    private final CorrelationLinker linker;

    RocprofRows(TimelineBuilder builder) {
        this.builder = builder;
        this.tracks = new RocmTracks(builder);
        this.spans = new SpanRows(builder);
        this.linker = new CorrelationLinker(builder::startNsAt);
    }

    void finish() {
        linker.link(builder::link);
    }

    void add(String section, RocprofRecord record, RocprofNames names) {
        switch (section) {
            case "kernel_dispatch" -> kernel(record, names);
            case "memory_copy" -> copy(record, names);
            case "memory_allocation", "hsa_api" -> call(record, names, RowKind.DRIVER_CALL);
            case "hip_api" -> call(record, names, RowKind.RUNTIME_CALL);
            case "rccl_api", "rocdecode_api", "rocjpeg_api" -> call(record, names, RowKind.OPERATOR);
            case "marker_api" -> marker(record, names);
            default -> builder.stats().count(Reason.NOT_USED, -1, section);
        }
    }

    private void kernel(RocprofRecord record, RocprofNames names) {
        String name = names.kernel(record.kernelId);
        if (spans.usable(record.startNs, record.endNs, name)) {
            RocmTracks.Agent agent = names.agent(record.agent);
            int track = tracks.stream(
                    names.processId(), tracks.device(agent.key(), agent.name()), record.queue, record.stream);
            add(record, names, RowKind.KERNEL, track, name);
        }
    }

    /** Adds a copy. Its device is the GPU at one of its ends; between GPUs, the source. */
    private void copy(RocprofRecord record, RocprofNames names) {
        String name = names.operation(record.kind, record.operation);
        if (!spans.usable(record.startNs, record.endNs, name)) {
            return;
        }
        RocmTracks.Agent from = names.agent(record.sourceAgent);
        RocmTracks.Agent to = names.agent(record.targetAgent);
        if (!from.gpu() && !to.gpu()) {
            builder.stats().count(Reason.NOT_USED, -1, "memory_copy between hosts");
            return;
        }
        RocmTracks.Agent agent = from.gpu() ? from : to;
        int track = tracks.stream(
                names.processId(), tracks.device(agent.key(), agent.name()), RocprofRecord.ABSENT, record.stream);
        RowKind kind = RocmTracks.copyKind(from.gpu(), to.gpu(), from.key().equals(to.key()));
        size(add(record, names, kind, track, RocmTracks.copyName(kind)), record);
    }

    private void call(RocprofRecord record, RocprofNames names, RowKind recorded) {
        String name = RocmTracks.callName(names.operation(record.kind, record.operation));
        if (spans.usable(record.startNs, record.endNs, name)) {
            RowKind kind = name.contains("GraphLaunch") ? RowKind.GRAPH_LAUNCH : recorded;
            size(add(record, names, kind, thread(record, names), name), record);
        }
    }

    private void size(int row, RocprofRecord record) {
        if (record.sizeBytes >= 0) {
            builder.attribute(row, Attribute.SIZE_BYTES, record.sizeBytes);
        }
    }

    /** Adds a range or, if it has no length, a mark. Other roctx calls have no text and are skipped. */
    private void marker(RocprofRecord record, RocprofNames names) {
        String text = names.marker(record.correlation);
        String operation = names.operation(record.kind, record.operation);
        if (!spans.usable(record.startNs, record.endNs, text)) {
            return;
        }
        if (text.isEmpty()) {
            builder.stats().count(Reason.NOT_USED, -1, operation);
            return;
        }
        boolean mark = operation.startsWith("roctxMark") || record.startNs == record.endNs;
        builder.row(
                mark ? RowKind.INSTANT : RowKind.ANNOTATION,
                thread(record, names),
                record.startNs,
                mark ? record.startNs : record.endNs,
                builder.name(text));
    }

    private int thread(RocprofRecord record, RocprofNames names) {
        return tracks.thread(names.processId(), record.threadId);
    }

    private int add(RocprofRecord record, RocprofNames names, RowKind kind, int track, String name) {
        int row = builder.row(kind, track, record.startNs, record.endNs, builder.name(name));
        if (record.correlation > 0) {
            builder.correlation(row, record.correlation);
            linker.add(row, kind, names.processId(), record.correlation);
        }
        return row;
    }
}
