package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds when a thread cannot have dispatched operators to a device, because between two calls of the runtime or the
 * driver there are {@value #LEAST_NS} ns or more. Native code of the framework then computes on the CPU: it fills new
 * weights, or runs layers that were left there. An operator for a device takes some microseconds until its launch.
 *
 * <p>Only the CUDA agent records all calls, and only if it records all the time.
 */
final class HostComputing {
    static final long LEAST_NS = 20_000_000;

    private static final String AGENT = "cuda-agent";

    private static final String UNRECORDED = "inferscope.device_unrecorded_ns";

    private final Timeline timeline;
    private final boolean callsAreRecorded;
    private final Map<Integer, Intervals> byTrack = new HashMap<>();

    HostComputing(Timeline timeline) {
        this.timeline = timeline;
        this.callsAreRecorded = timeline.info().overheads().stream()
                        .anyMatch(overhead -> overhead.recorder().equals(AGENT))
                && DeviceWindows.of(timeline).isEmpty()
                && timeline.properties().getOrDefault(UNRECORDED, "0").equals("0");
    }

    /** Returns when a thread made no call for long. */
    Intervals of(int track) {
        return callsAreRecorded ? byTrack.computeIfAbsent(track, this::find) : Intervals.EMPTY;
    }

    private Intervals find(int track) {
        Intervals.Builder found = new Intervals.Builder(16);
        ApiCalls.forEachAfterAnother(timeline, track, (call, calledNs) -> {
            if (timeline.startNs(call) - calledNs >= LEAST_NS) {
                found.add(calledNs, timeline.startNs(call));
            }
        });
        return found.build();
    }
}
