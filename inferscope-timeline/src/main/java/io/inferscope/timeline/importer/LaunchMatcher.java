package io.inferscope.timeline.importer;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.importer.CorrelationLinker.Edges;
import io.inferscope.timeline.importer.LaneAlignment.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Joins device operations to the calls that submitted them, without correlation ids.
 *
 * <p>The operations of a stream start in the order of their launches, so the n-th operation belongs to the n-th launch.
 * Where records are missing, kind, name and size realign the two:
 *
 * <pre>
 * launches    gemm  add  add  copy  gemm  add
 * operations  gemm  add       copy  gemm  add     one add is missing: neither add is linked, all others are
 * </pre>
 *
 * <p>A wait of the host for the stream cuts both sides: what starts after its end was launched after its begin. Between
 * two cuts, a pair is linked if every alignment of the most pairs contains it; no operation starts before its launch.
 * Of calls of several threads that overlap, either may have come first: they are linked if their names or sizes tell
 * them apart. In a recording of which recorders lost nothing, the first after a wait are pairs, and the last before it:
 * only its beginning and its end cut work off.
 *
 * <p>A node of a graph runs once per replay, and replays of a graph do not overlap. So the n-th record of a node
 * belongs to the n-th launch of its graph ({@link ReplayDivider}), on any stream.
 *
 * <p>What the two sides do not decide is left out and counted. Losses on both sides that cancel each other out between
 * two waits, among operations of one name, cannot be noticed.
 */
public final class LaunchMatcher {
    /** A size that is not known fits every size. */
    public static final long ANY_SIZE = -1;

    /** A name that is not known fits every name. */
    public static final int ANY_NAME = -1;

    /** Kinds of work. An operation belongs to a launch of its kind. */
    public enum Work {
        KERNEL,
        COPY,
        FILL
    }

    /** The two sides of a stream or of a graph. */
    private static final class Lane {
        final List<Entry> launches = new ArrayList<>();
        final List<Entry> operations = new ArrayList<>();
    }

    /**
     * What was joined.
     *
     * @param linked operations with a launch
     * @param leftOut operations without one
     * @param idleLaunches launches without an operation
     * @param repeated records of an operation or launch that had one already; none of the above
     */
    public record Counts(long linked, long leftOut, long idleLaunches, long repeated) {}

    /** A wait of the host; {@code stream} is null where it is for all of them. */
    private record Wait(@Nullable Long stream, long startNs, long endNs) {}

    private final long toleranceNs;
    private final boolean isCutOut;
    private final Map<Long, Lane> streams = new HashMap<>();
    private final Map<Long, Lane> graphs = new HashMap<>();
    private final List<Wait> waits = new ArrayList<>();
    private long linked;
    private long operationCount;
    private long usedLaunches;
    private long launchCount;
    private long repeated;

    /**
     * Makes a matcher of operations that may start up to {@code toleranceNs} before their launch, as much as the clocks
     * of the two sides may differ.
     *
     * @param isCutOut whether recorders lost nothing: what is missing is work that was launched before the recording, or
     *     done after it
     */
    public LaunchMatcher(long toleranceNs, boolean isCutOut) {
        this.toleranceNs = toleranceNs;
        this.isCutOut = isCutOut;
    }

    /**
     * Adds a call that launches one operation.
     *
     * @param stream any number that names the stream with its context and process
     * @param sequence grows from call to call, taken when the call returned
     */
    public void launch(
            int row,
            long stream,
            long thread,
            long sequence,
            long startNs,
            long endNs,
            Work work,
            int name,
            long size) {
        lane(streams, stream).launches.add(new Entry(row, sequence, startNs, endNs, thread, work, name, size));
    }

    /** Adds a call that launches a graph, of which any number names an instance with its process. */
    public void graphLaunch(int row, long graph, long thread, long sequence, long startNs, long endNs) {
        lane(graphs, graph).launches.add(entry(row, sequence, startNs, endNs, thread));
    }

    /** Adds an operation that is no graph's. */
    public void operation(int row, long stream, long startNs, long endNs, Work work, int name, long size) {
        lane(streams, stream).operations.add(new Entry(row, startNs, startNs, endNs, 0, work, name, size));
    }

    /** Adds an operation of a graph's node, on any stream. */
    public void replayed(int row, long graph, long node, long startNs, long endNs) {
        lane(graphs, graph).operations.add(entry(row, startNs, startNs, endNs, node));
    }

    /** Adds a call that returned when all earlier work of a stream was done. */
    public void waited(long stream, long startNs, long endNs) {
        waits.add(new Wait(stream, startNs, endNs));
    }

    /** Adds a call that returned when all earlier work was done. */
    public void waitedForAll(long startNs, long endNs) {
        waits.add(new Wait(null, startNs, endNs));
    }

    private static Entry entry(int row, long order, long startNs, long endNs, long group) {
        return new Entry(row, order, startNs, endNs, group, Work.KERNEL, ANY_NAME, ANY_SIZE);
    }

    private static Lane lane(Map<Long, Lane> lanes, long key) {
        return lanes.computeIfAbsent(key, unused -> new Lane());
    }

    /** Passes all links, in no particular order, with a confidence of 100. To be called once. */
    public Counts match(Edges edges) {
        waits.sort(Order.comparingLong(Wait::endNs));
        streams.forEach((stream, lane) -> {
            List<Entry> launches = sorted(lane.launches);
            List<Entry> operations = sorted(lane.operations);
            int[] launchOf = new LaneAlignment(launches, operations, toleranceNs, isCutOut).match(waitsFor(stream));
            for (int i = 0; i < launchOf.length; i++) {
                link(edges, LinkKind.LAUNCH, launches, launchOf[i], operations.subList(i, i + 1));
            }
            operationCount += operations.size();
            launchCount += launches.size();
        });
        graphs.values().forEach(lane -> {
            List<Entry> launches = sorted(lane.launches);
            List<Entry> operations = sorted(lane.operations);
            List<List<Entry>> replays = ReplayDivider.of(operations, launches.size());
            List<Entry> whole = new ArrayList<>();
            for (List<Entry> replay : replays) {
                Entry first = replay.get(0);
                whole.add(entry(0, first.startNs(), first.startNs(), first.endNs(), 0));
            }
            int[] launchOf = new LaneAlignment(launches, whole, toleranceNs, isCutOut).match(waitsFor(null));
            for (int i = 0; i < launchOf.length; i++) {
                link(edges, LinkKind.GRAPH_REPLAY, launches, launchOf[i], replays.get(i));
            }
            operationCount += operations.size();
            launchCount += launches.size();
        });
        return new Counts(linked, operationCount - linked, launchCount - usedLaunches, repeated);
    }

    private void link(Edges edges, LinkKind kind, List<Entry> launches, int launch, List<Entry> operations) {
        for (Entry operation : launch < 0 ? List.<Entry>of() : operations) {
            edges.link(kind, launches.get(launch).row(), operation.row(), 100);
            linked++;
        }
        usedLaunches += launch < 0 ? 0 : 1;
    }

    /** Returns the entries in order, each once. */
    private List<Entry> sorted(List<Entry> entries) {
        entries.sort(Order.<Entry>comparingLong(Entry::order)
                .thenComparingLong(Entry::endNs)
                .thenComparingLong(Entry::group));
        List<Entry> once = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            if (once.isEmpty() || !once.get(once.size() - 1).isTwinOf(entry)) {
                once.add(entry);
            }
        }
        repeated += entries.size() - once.size();
        return once;
    }

    private List<LaneAlignment.Cut> waitsFor(@Nullable Long stream) {
        List<LaneAlignment.Cut> cuts = new ArrayList<>();
        for (Wait wait : waits) {
            if (wait.stream == null || wait.stream.equals(stream)) {
                cuts.add(new LaneAlignment.Cut(wait.startNs, wait.endNs));
            }
        }
        return cuts;
    }
}
