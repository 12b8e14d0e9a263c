package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.KernelNames;
import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.MemoryKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * What one device did: its operations in start order, the launch of each, and the unions of DESIGN's precedence.
 *
 * <pre>
 *   compute        ####....####........
 *   communication  ..####..............   exposed: ....##
 *   H2D            ........######......   exposed: ............##
 *   busy           ######..######......   idle: the rest
 * </pre>
 */
public final class DeviceActivity {
    /** Most devices examined, because each one is compared with all host threads. No machine has more. */
    public static final int MOST = 256;

    private final Timeline timeline;
    private final Track track;
    private final int[] operations;
    private final int[] launches;
    private final BitSet graphReplays = new BitSet();
    private final BitSet firstOfReplay = new BitSet();
    private final KernelNames names;
    private final long[] counts = new long[5];
    private final Intervals compute;
    private final Intervals exposedCommunication;
    private final Intervals exposedH2d;
    private final Intervals exposedD2h;
    private final Intervals exposedOther;
    private final Intervals busy;
    private final long lastNs;

    private DeviceActivity(Timeline timeline, Track track, int[] operations, KernelNames names) {
        this.timeline = timeline;
        this.track = track;
        this.operations = operations;
        this.launches = new int[operations.length];
        this.names = names;
        Intervals.Builder[] classes = new Intervals.Builder[5];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = new Intervals.Builder(16);
        }
        long last = Long.MIN_VALUE;
        for (int row : operations) {
            int group = group(row);
            counts[group]++;
            classes[group].add(timeline.startNs(row), timeline.endNs(row));
            last = Math.max(last, timeline.endNs(row));
        }
        lastNs = last;
        compute = classes[0].build();
        Intervals kernels = compute.union(classes[1].build());
        exposedCommunication = classes[1].build().minus(compute);
        exposedH2d = classes[2].build().minus(kernels);
        Intervals withH2d = kernels.union(exposedH2d);
        exposedD2h = classes[3].build().minus(withH2d);
        Intervals withD2h = withH2d.union(exposedD2h);
        exposedOther = classes[4].build().minus(withD2h);
        busy = withD2h.union(exposedOther);
        findLaunches();
    }

    /**
     * Returns the devices that did any work, in the order of their keys; at most {@link #MOST}, those with most
     * operations.
     */
    public static List<DeviceActivity> of(Timeline timeline, KernelNames names) {
        List<DeviceActivity> devices = new ArrayList<>();
        Map<Integer, List<Track>> streams = new HashMap<>();
        for (Track track : timeline.tracks()) {
            streams.computeIfAbsent(track.parent(), parent -> new ArrayList<>()).add(track);
        }
        for (Track track : withMostOperations(timeline, streams)) {
            int[] operations = operationsInStartOrder(timeline, streams.getOrDefault(track.id(), List.of()));
            devices.add(new DeviceActivity(timeline, track, operations, names));
        }
        return devices;
    }

    private static List<Track> withMostOperations(Timeline timeline, Map<Integer, List<Track>> streams) {
        int[] operations = new int[timeline.tracks().size()];
        List<Track> devices = new ArrayList<>();
        for (Track track : timeline.tracks()) {
            int count = track.kind() == TrackKind.DEVICE
                    ? streams.getOrDefault(track.id(), List.of()).stream()
                            .mapToInt(stream -> countOperations(timeline, stream))
                            .sum()
                    : 0;
            if (count > 0) {
                operations[track.id()] = count;
                devices.add(track);
            }
        }
        return devices.stream() // In the order of ids, which a sort keeps among equals.
                .sorted((a, b) -> Integer.compare(operations[b.id()], operations[a.id()]))
                .limit(MOST)
                .sorted((a, b) -> Integer.compare(a.id(), b.id()))
                .toList();
    }

    private static int countOperations(Timeline timeline, Track stream) {
        return (int) timeline.rows(stream.id())
                .filter(row -> timeline.kind(row).isDeviceOperation())
                .count();
    }

    /** Returns how many devices did any work, including those beyond {@link #MOST}. */
    public static long count(Timeline timeline) {
        return timeline.tracks().stream()
                .filter(stream -> stream.parent() >= 0 && countOperations(timeline, stream) > 0)
                .map(Track::parent)
                .distinct()
                .filter(device -> timeline.tracks().get(device).kind() == TrackKind.DEVICE)
                .count();
    }

    private static int compare(Timeline timeline, int a, int b) {
        int byStart = Long.compare(timeline.startNs(a), timeline.startNs(b));
        int byTime = byStart != 0 ? byStart : Long.compare(timeline.endNs(a), timeline.endNs(b));
        return byTime != 0 ? byTime : Integer.compare(a, b);
    }

    /** Merges the streams, each of which is in start order already. */
    private static int[] operationsInStartOrder(Timeline timeline, List<Track> streams) {
        PriorityQueue<Head> heads = new PriorityQueue<>((a, b) -> compare(timeline, a.row, b.row));
        int count = 0;
        for (Track stream : streams) {
            Head head = new Head(timeline.firstRow(stream.id()), timeline.endRow(stream.id()));
            count += countOperations(timeline, stream);
            if (head.skipOthers(timeline)) {
                heads.add(head);
            }
        }
        int[] merged = new int[count];
        for (int i = 0; i < count; ) {
            Head head = heads.remove();
            Head next = heads.peek();
            boolean more;
            do {
                merged[i++] = head.row++;
                more = head.skipOthers(timeline);
            } while (more && (next == null || compare(timeline, head.row, next.row) < 0));
            if (more) {
                heads.add(head);
            }
        }
        return merged;
    }

    /** The next operation of a stream that is being merged. */
    private static final class Head {
        private final int endRow;
        private int row;

        Head(int row, int endRow) {
            this.row = row;
            this.endRow = endRow;
        }

        /** Moves to the next operation, which may be the current row; returns false if there is none. */
        boolean skipOthers(Timeline timeline) {
            while (row < endRow && !timeline.kind(row).isDeviceOperation()) {
                row++;
            }
            return row < endRow;
        }
    }

    private int group(int row) {
        return switch (timeline.kind(row)) {
            case KERNEL -> isCommunication(row) ? 1 : 0;
            case MEMCPY_H2D -> 2;
            case MEMCPY_D2H -> 3;
            default -> 4;
        };
    }

    private void findLaunches() {
        Map<Integer, Long> firstStarts = new HashMap<>();
        for (int i = 0; i < operations.length; i++) {
            int launch = timeline.links().launchOf(operations[i]);
            launches[i] = launch;
            if (launch >= 0 && timeline.kind(launch) == RowKind.GRAPH_LAUNCH) {
                graphReplays.set(i);
                Long firstNs = firstStarts.putIfAbsent(launch, timeline.startNs(operations[i]));
                firstOfReplay.set(i, firstNs == null || firstNs == timeline.startNs(operations[i]));
            }
        }
    }

    public Track track() {
        return track;
    }

    /** Returns the source's id of the device. */
    public String id() {
        return track.key();
    }

    /**
     * Returns the device's name for sentences: {@code GPU 7}, or {@code GPU 7 of rank 7} in recordings of several
     * ranks.
     */
    public String label() {
        String[] parts = id().split(": ", 2);
        return parts.length == 1 ? "GPU " + id() : "GPU " + parts[1] + " of " + parts[0];
    }

    public int operationCount() {
        return operations.length;
    }

    /** Returns the rows of the operations, in start order. */
    public IntStream rows() {
        return Arrays.stream(operations);
    }

    /** Returns the operations whose launch is recorded, by index, in start order. */
    public IntStream launched() {
        return IntStream.range(0, operationCount()).filter(operation -> launches[operation] >= 0);
    }

    /** Returns the launch of each operation that has a recorded one, in the operations' start order. */
    public IntStream launches() {
        return Arrays.stream(launches).filter(launch -> launch >= 0);
    }

    /** Returns the row of operation {@code index}; operations are in start order. */
    public int row(int index) {
        return operations[index];
    }

    /** Returns the row of the call that launched operation {@code index}, -1 when not recorded. */
    public int launch(int index) {
        return launches[index];
    }

    /** Returns whether an operation is a copy by which pages of unified memory moved when they were touched. */
    public boolean isMigration(int operation) {
        return launch(operation) < 0
                && timeline.kind(row(operation)).isMemcpy()
                && MemoryKind.MANAGED.isOf(timeline, row(operation));
    }

    /** Returns whether a graph launch replayed operation {@code index}. */
    public boolean isGraphReplay(int index) {
        return graphReplays.get(index);
    }

    /** Returns whether a graph launch replayed operation {@code index} after another operation of the same replay. */
    public boolean isReplayedLater(int index) {
        return graphReplays.get(index) && !firstOfReplay.get(index);
    }

    /** Returns whether a row is a communication kernel. */
    public boolean isCommunication(int row) {
        return timeline.kind(row) == RowKind.KERNEL
                && names.category(timeline.nameId(row)) == KernelCategory.COMMUNICATION;
    }

    /**
     * Returns the number of operations in a group: 0 compute, 1 communication, 2 H2D, 3 D2H, 4 other copies and sets.
     */
    public long count(int group) {
        return counts[group];
    }

    /** Returns when its first operation starts, in ns. */
    public long firstNs() {
        return timeline.startNs(operations[0]);
    }

    /** Returns when its last operation ends, in ns. */
    public long lastNs() {
        return lastNs;
    }

    /** Returns the times within a part of the operations whose rows are wanted. */
    public Intervals times(IntPredicate wanted, Stretch part) {
        return timeline.times(rows().filter(wanted)).clip(part.startNs(), part.endNs());
    }

    /** Returns when any operation ran. */
    public Intervals busy() {
        return busy;
    }

    /** Returns when a kernel ran that is not communication. */
    public Intervals compute() {
        return compute;
    }

    /** Returns the time of a busy class; empty for any other class. */
    public Intervals exposed(LedgerClass busyClass) {
        return switch (busyClass) {
            case GPU_COMPUTE -> compute;
            case GPU_COMMUNICATION -> exposedCommunication;
            case COPY_H2D -> exposedH2d;
            case COPY_D2H -> exposedD2h;
            case COPY_OTHER -> exposedOther;
            default -> Intervals.EMPTY;
        };
    }

    /**
     * Returns launch latency of operation {@code index} in ns: its start minus its launch call's start; negative when
     * the stamps contradict.
     */
    public long launchLatencyNs(int index) {
        return timeline.startNs(operations[index]) - timeline.startNs(launches[index]);
    }

    /** Returns queue delay of operation {@code index} in ns: its start minus its launch call's end. */
    public long queueDelayNs(int index) {
        return timeline.startNs(operations[index]) - timeline.endNs(launches[index]);
    }

    /** Returns whether operation {@code index} was launched one by one by a recorded call. */
    public boolean isLaunchedAlone(int index) {
        return launches[index] >= 0 && !graphReplays.get(index);
    }
}
