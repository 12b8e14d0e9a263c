package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.GraphCaptures;
import io.inferscope.timeline.LaunchCalls;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Launch calls whose operations are missing between recorded ones, and the idle time that these may have filled.
 *
 * <pre>
 *   host    L1 L2 L3
 *   device    K1......K3     K2 is missing: the time from L2 on, as long as operations like K2 take, is no idle time
 * </pre>
 *
 * {@link OperationLengths} tells how long they may have taken.
 */
public final class MissingOperations {
    /** More missing operations than this, one launched after the other, are a stretch. */
    private static final int SHORT_RUN = 2;

    private final Timeline timeline;
    private final List<DeviceActivity> devices;
    private final BitSet answered = new BitSet();
    private final Lazy<GraphCaptures.Found> captures;
    private final Lazy<OperationLengths> lengths;

    /** The calls whose operations are missing, ascending, and which of them lie in a stretch of such calls. */
    private final int[] calls;

    private final BitSet inRuns = new BitSet();

    /** By thread: the device for which it launched last, -1 for none. */
    private final Lazy<int[]> deviceOfThread;

    /** By stream, the launches of its operations, ascending. */
    private final Map<Integer, int[]> launchesByStream = new HashMap<>();

    public MissingOperations(Timeline timeline, List<DeviceActivity> devices, int[] apiCalls, NamePredicate launches) {
        this.timeline = timeline;
        this.devices = devices;
        this.captures = new Lazy<>(() -> GraphCaptures.in(timeline));
        this.lengths = new Lazy<>(() -> new OperationLengths(timeline, devices));
        this.deviceOfThread = new Lazy<>(this::devicesOfThreads);
        devices.forEach(device -> device.launches().forEach(answered::set));
        calls = (answered.isEmpty() ? IntStream.empty() : Arrays.stream(apiCalls))
                .filter(call -> !answered.get(call) && launches.testRow(call))
                .filter(call -> !isPartOfAnother(call) && !isCaptured(call))
                .toArray();
        findRuns();
    }

    /** Marks the calls of stretches: no launch of their thread between them has an operation. */
    private void findRuns() {
        int from = 0;
        for (int i = 1; i <= calls.length; i++) {
            boolean goesOn = i < calls.length
                    && timeline.track(calls[i]) == timeline.track(calls[i - 1])
                    && !isAnyAnswered(calls[i - 1], calls[i]);
            if (!goesOn) {
                for (int in = from; in < i && i - from > SHORT_RUN; in++) {
                    inRuns.set(calls[in]);
                }
                from = i;
            }
        }
    }

    private boolean isAnyAnswered(int fromCall, int toCall) {
        int next = answered.nextSetBit(fromCall);
        return next >= 0 && next < toCall;
    }

    private int[] devicesOfThreads() {
        int[] found = new int[timeline.tracks().size()];
        Arrays.fill(found, -1);
        for (int d = 0; d < devices.size(); d++) {
            int place = d;
            devices.get(d).launches().forEach(launch -> found[timeline.track(launch)] = place);
        }
        return found;
    }

    /** Returns the captures of graphs in the recording. */
    public GraphCaptures.Found captures() {
        return captures.get();
    }

    private boolean isCaptured(int call) {
        return captures.get().contains(call);
    }

    /** Returns those of the calls whose operations are missing that are wanted and may launch for a device, ascending. */
    public int[] calls(DeviceActivity device, IntPredicate wanted) {
        if (calls.length == 0) {
            return calls;
        }
        int number = devices.indexOf(device);
        return Arrays.stream(calls)
                .filter(call -> Math.max(0, deviceOfThread.get()[timeline.track(call)]) == number && wanted.test(call))
                .toArray();
    }

    /** Returns the upper bound of the time that the missing operations of some calls took together, in ns. */
    public double mostNs(int[] of) {
        OperationLengths.Sum sum = new OperationLengths.Sum();
        for (int call : of) {
            lengths.get().add(sum, call, inRuns.get(call));
        }
        return sum.mostNs();
    }

    /** Recorders leave out the operations of calls that set memory. */
    private boolean setsMemory(int call) {
        return LaunchCalls.operation(timeline.name(call)) == RowKind.MEMSET;
    }

    /** A call of the runtime may contain one of the driver: only one of them is linked to the operation. */
    private boolean isPartOfAnother(int call) {
        int around = timeline.parent(call);
        return (around >= 0 && timeline.kind(around).isApiCall())
                || (call + 1 < timeline.endRow(timeline.track(call))
                        && answered.get(call + 1)
                        && timeline.startNs(call + 1) < timeline.endNs(call));
    }

    /** Returns whether an API call led to device work. */
    public boolean isAnswered(int call) {
        return answered.get(call);
    }

    /** Returns whether any call is known to have led to device work. */
    public boolean isAnyAnswered() {
        return !answered.isEmpty();
    }

    /**
     * Returns the part of an idle gap {@code [fromNs, toNs)} in which missing operations may have run; null for none.
     * They were launched after the last launch for the same stream by the same thread, and before that of the operation
     * that ends the gap.
     *
     * @param operation the number of the operation that ends the gap
     */
    public @Nullable Stretch within(DeviceActivity device, int operation, long fromNs, long toNs) {
        int launch = device.launch(operation);
        if (calls.length == 0 || launch < 0) {
            return null;
        }
        int end = -1 - Arrays.binarySearch(calls, launch); // It is none of them.
        if (end == 0 || calls[end - 1] < timeline.firstRow(timeline.track(launch))) {
            return null;
        }
        int before = launchBefore(device.row(operation), launch);
        if (calls[end - 1] <= before) {
            return null;
        }
        int[] between = IntStream.range(firstAfter(before), end)
                .map(i -> calls[i])
                .filter(call -> !setsMemory(call))
                .toArray();
        long lengthNs = (long) Math.ceil(mostNs(between));
        long startNs = between.length == 0 ? toNs : Math.max(fromNs, timeline.startNs(between[0]));
        return startNs < toNs && lengthNs > 0
                ? new Stretch(startNs, startNs + Math.min(lengthNs, toNs - startNs))
                : null;
    }

    /**
     * Returns the last launch before another one by its thread and for its stream; without one, the row before its
     * thread. Annotations of the stream and launches of other threads do not count.
     */
    private int launchBefore(int operation, int launch) {
        int[] ofStream = launchesByStream.computeIfAbsent(timeline.track(operation), this::launchesOn);
        int at = BinarySearch.first(0, ofStream.length, i -> ofStream[i] >= launch) - 1;
        int beforeThread = timeline.firstRow(timeline.track(launch)) - 1;
        return at < 0 ? beforeThread : Math.max(beforeThread, ofStream[at]);
    }

    private int[] launchesOn(int stream) {
        return timeline.rows(stream)
                .map(timeline.links()::launchOf)
                .filter(launch -> launch >= 0)
                .sorted()
                .toArray();
    }

    private int firstAfter(int row) {
        int at = Arrays.binarySearch(calls, row);
        return at < 0 ? -at - 1 : at + 1;
    }
}
