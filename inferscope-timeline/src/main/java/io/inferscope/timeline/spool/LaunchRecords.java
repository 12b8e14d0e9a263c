package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.CorrelationLinker.Edges;
import io.inferscope.timeline.importer.LaunchMatcher;
import io.inferscope.timeline.importer.LaunchMatcher.Work;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Launches of one process that hooks saw. They have no correlation ids: the device's operations are matched with them
 * by their order, names and sizes.
 */
final class LaunchRecords {
    /** The largest distance of the two clocks: launches are stamped by the processor's counter. */
    private static final long TOLERANCE_NS = 1_000;

    private static final long UNKNOWN_STREAM = 0xffffffffL;
    private static final long NO_STREAM = -1;

    private final TimelineBuilder builder;
    private final DeviceLanes lanes;
    private final List<Launch> launches = new ArrayList<>();
    /** By name id: the hash of a kernel's name, ANY_NAME if several kernels are called so. */
    private final Map<Integer, Integer> hashes = new HashMap<>();

    private int[] operations = new int[64];
    private long[] graphs = new long[0];
    private long[] nodes = new long[0];
    private int operationCount;
    private final BitSet linked = new BitSet();

    private record Launch(
            int row, int context, long stream, long thread, long sequence, int function, int work, long sizeBytes) {}

    LaunchRecords(TimelineBuilder builder, DeviceLanes lanes) {
        this.builder = builder;
        this.lanes = lanes;
    }

    static RowKind kind(SpoolRecordView view) {
        return view.u16(LAUNCH_WORK) == WORK_GRAPH ? RowKind.GRAPH_LAUNCH : RowKind.DRIVER_CALL;
    }

    void launch(SpoolRecordView view, int row) {
        launches.add(new Launch(
                row,
                view.i32(LAUNCH_CONTEXT),
                view.u32(LAUNCH_STREAM),
                view.u32(LAUNCH_TID),
                view.i64(LAUNCH_SEQUENCE),
                view.i32(LAUNCH_FUNCTION),
                view.u16(LAUNCH_WORK),
                view.i64(LAUNCH_SIZE_BYTES)));
    }

    void hash(int name, int hash) {
        hashes.merge(name, hash, (one, other) -> one.equals(other) ? one : LaunchMatcher.ANY_NAME);
    }

    /** Adds an operation; {@code node} is 0 if no graph launched it. */
    void operation(int row, long graph, long node) {
        if (operationCount == operations.length) {
            operations = Arrays.copyOf(operations, operationCount + (operationCount >> 1));
        }
        if (node != 0 && nodes.length < operations.length) {
            graphs = Arrays.copyOf(graphs, operations.length);
            nodes = Arrays.copyOf(nodes, operations.length);
        }
        if (node != 0) {
            graphs[operationCount] = graph;
            nodes[operationCount] = node;
        }
        operations[operationCount++] = row;
    }

    /** Notes that an operation's launch is known by its correlation id. */
    void linked(int row) {
        linked.set(row);
    }

    /** Passes the links of operations to their launches. Returns the coverage; empty without launches. */
    List<Coverage> match(Edges edges, boolean isCutOut) {
        if (launches.isEmpty()) {
            return List.of();
        }
        LaunchMatcher matcher = new LaunchMatcher(TOLERANCE_NS, isCutOut);
        launches.forEach(launch -> add(launch, matcher));
        for (int i = 0; i < operationCount; i++) {
            int row = operations[i];
            if (linked.get(row)) {
                continue;
            }
            long startNs = builder.startNsAt(row);
            long endNs = builder.endNsAt(row);
            if (i < nodes.length && nodes[i] != 0) {
                matcher.replayed(row, graphs[i], nodes[i], startNs, endNs);
            } else {
                Work work = work(builder.kindAt(row));
                int name = work == Work.KERNEL
                        ? hashes.getOrDefault(builder.nameIdAt(row), LaunchMatcher.ANY_NAME)
                        : LaunchMatcher.ANY_NAME;
                long size =
                        builder.attributeAt(row, work == Work.KERNEL ? Attribute.GRID_BLOCKS : Attribute.SIZE_BYTES);
                matcher.operation(
                        row,
                        builder.trackAt(row),
                        startNs,
                        endNs,
                        work,
                        name,
                        size == Attribute.ABSENT ? LaunchMatcher.ANY_SIZE : size);
            }
        }
        LaunchMatcher.Counts counts = matcher.match(edges);
        String why = counts.leftOut() == 0
                ? ""
                : "operations are matched with their launches by order, names and sizes; for these, they do not decide"
                        + (counts.idleLaunches() == 0 ? "" : " (" + counts.idleLaunches() + " launches have none)");
        return List.of(new Coverage("launches of device work", counts.linked(), counts.leftOut(), why));
    }

    private void add(Launch launch, LaunchMatcher matcher) {
        long startNs = builder.startNsAt(launch.row);
        long endNs = builder.endNsAt(launch.row);
        long stream = launch.stream == UNKNOWN_STREAM ? NO_STREAM : lanes.track(launch.context, (int) launch.stream);
        switch (launch.work) {
            case WORK_STREAM -> matcher.waited(stream, startNs, endNs);
            case WORK_ALL -> matcher.waitedForAll(startNs, endNs);
            case WORK_GRAPH ->
                matcher.graphLaunch(
                        launch.row,
                        Integer.toUnsignedLong(launch.function),
                        launch.thread,
                        launch.sequence,
                        startNs,
                        endNs);
            default ->
                matcher.launch(
                        launch.row,
                        stream,
                        launch.thread,
                        launch.sequence,
                        startNs,
                        endNs,
                        Work.values()[Math.min(launch.work, WORK_FILL)],
                        launch.function == 0 ? LaunchMatcher.ANY_NAME : launch.function,
                        launch.sizeBytes);
        }
    }

    private static Work work(RowKind kind) {
        return kind == RowKind.MEMSET ? Work.FILL : kind.isMemcpy() ? Work.COPY : Work.KERNEL;
    }
}
