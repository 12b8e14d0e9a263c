package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.GraphCaptures;
import io.inferscope.timeline.LaunchCalls;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * An operation is taken to last as long as the longest that the same call launches inside the same operator.
 */
public final class MissingOperations {
    private final Timeline timeline;
    private final List<DeviceActivity> devices;
    private final BitSet answered = new BitSet();

    /** The calls whose operations are missing, ascending. */
    private final int[] calls;

    /** By stream, the launches of its operations, ascending. */
    private final Map<Integer, int[]> launchesByStream = new HashMap<>();

    private final Map<Long, Long> longestNs = new HashMap<>();

    public MissingOperations(Timeline timeline, List<DeviceActivity> devices, int[] apiCalls, ByName launches) {
        this.timeline = timeline;
        this.devices = devices;
        for (DeviceActivity device : devices) {
            for (int i = 0; i < device.operationCount(); i++) {
                if (device.launch(i) >= 0) {
                    answered.set(device.launch(i));
                }
            }
        }
        int[] unanswered = answered.isEmpty()
                ? new int[0]
                : Arrays.stream(apiCalls)
                        .filter(call -> launches.testRow(call) && !answered.get(call) && isCounted(call))
                        .toArray();
        BitSet captured = unanswered.length == 0 ? new BitSet() : captured();
        calls = Arrays.stream(unanswered).filter(call -> !captured.get(call)).toArray();
    }

    private boolean isCounted(int call) {
        return LaunchCalls.operation(timeline.name(call)) != RowKind.MEMSET && !isPartOfAnother(call);
    }

    /** A call of the runtime may contain one of the driver: only one of them is linked to the operation. */
    private boolean isPartOfAnother(int call) {
        int around = timeline.parent(call);
        return (around >= 0 && timeline.kind(around).isApiCall())
                || (call + 1 < timeline.endRow(timeline.track(call))
                        && answered.get(call + 1)
                        && timeline.startNs(call + 1) < timeline.endNs(call));
    }

    private BitSet captured() {
        BitSet captured = new BitSet();
        if (GraphCaptures.areIn(timeline)) {
            GraphCaptures captures = new GraphCaptures(timeline);
            timeline.tracks().stream()
                    .filter(track -> track.kind() != TrackKind.CAPTURE)
                    .flatMap(track -> captures.on(track).stream())
                    .forEach(calls -> Arrays.stream(calls).forEach(captured::set));
        }
        return captured;
    }

    /** Returns whether an API call led to device work. */
    public boolean isAnswered(int call) {
        return answered.get(call);
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
        int first = firstAfter(launchBefore(device.row(operation), launch));
        if (first == calls.length || calls[first] >= launch) {
            return null;
        }
        long lengthNs = 0;
        for (int i = first; i < calls.length && calls[i] < launch; i++) {
            lengthNs += longestNs(calls[i]);
        }
        long startNs = Math.max(fromNs, timeline.startNs(calls[first]));
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
        return IntStream.range(timeline.firstRow(stream), timeline.endRow(stream))
                .map(row -> timeline.links().launchOf(row))
                .filter(launch -> launch >= 0)
                .sorted()
                .toArray();
    }

    private int firstAfter(int row) {
        int at = Arrays.binarySearch(calls, row);
        return at < 0 ? -at - 1 : at + 1;
    }

    private long longestNs(int call) {
        if (longestNs.isEmpty()) {
            for (DeviceActivity device : devices) {
                for (int i = 0; i < device.operationCount(); i++) {
                    if (device.launch(i) >= 0) {
                        long ns = timeline.durationNs(device.row(i));
                        longestNs.merge(key(device.launch(i), true), ns, Math::max);
                        longestNs.merge(key(device.launch(i), false), ns, Math::max);
                    }
                }
            }
        }
        return longestNs.getOrDefault(key(call, true), longestNs.getOrDefault(key(call, false), 0L));
    }

    /** Returns what is alike: calls of one name, inside one operator or in any. */
    private long key(int call, boolean inOperator) {
        int operator = inOperator ? ApiCalls.operatorOf(timeline, call) : -1;
        return (long) timeline.nameId(call) << 32
                | (operator < 0 ? inOperator ? 0 : 0xFFFF_FFFFL : 1L + timeline.nameId(operator));
    }
}
