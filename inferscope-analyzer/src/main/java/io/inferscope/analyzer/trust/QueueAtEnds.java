package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * Operations and launches that are unrecorded because the launch queue was not empty at the ends of the recording. One
 * second of a longer run contains operations launched before it, and launches whose operations start after it. Neither
 * was lost.
 *
 * <pre>
 *   host          |  L3 L4 L5 L6 |          launches up to L6, whose work starts after the recording ends
 *   device        |  K1 K2 K3 K4 |          operations from K1 on, which was launched before the recording begins
 *                    |-- delay -->|
 * </pre>
 *
 * The nearest pair of launch and operation shows the delay of the queue: at the end, a thread's last launch with an
 * operation; at the begin, a stream's first operation with a launch. The delay is a queue only if the device was busy
 * during it. A missing operation or launch that would lie inside the recording, given the delay, was lost.
 */
final class QueueAtEnds {
    /**
     * Least busy share of a device with a queue between launch and start; the rest is gaps between queued operations.
     */
    private static final double BUSY = 0.9;

    private final Timeline timeline;
    private final long startNs;
    private final long endNs;

    /** By thread: the start of its last launch with an operation, and the delay to that operation's start. */
    private final long[] lastLaunchNs;

    private final long[] lastDelayNs;

    /** By stream: the start of its first operation with a launch, and the delay from that launch. */
    private final long[] firstStartNs;

    private final long[] firstDelayNs;

    QueueAtEnds(RecordingFacts recorded) {
        timeline = recorded.timeline();
        startNs = recorded.analysis().window().startNs();
        endNs = recorded.analysis().window().endNs();
        int tracks = timeline.tracks().size();
        lastLaunchNs = filled(tracks, Long.MIN_VALUE);
        lastDelayNs = new long[tracks];
        firstStartNs = filled(tracks, Long.MAX_VALUE);
        firstDelayNs = new long[tracks];
        for (DeviceActivity device : recorded.analysis().devices()) {
            long[] lastStartNs = filled(tracks, Long.MIN_VALUE);
            device.launched().forEach(i -> note(device.launch(i), device.row(i), lastStartNs));
            keepQueues(device, lastStartNs);
        }
    }

    private static long[] filled(int size, long with) {
        long[] values = new long[size];
        Arrays.fill(values, with);
        return values;
    }

    private void note(int launch, int operation, long[] lastStartNs) {
        int thread = timeline.track(launch);
        int stream = timeline.track(operation);
        long delayNs = timeline.startNs(operation) - timeline.startNs(launch);
        if (timeline.startNs(launch) > lastLaunchNs[thread]) {
            lastLaunchNs[thread] = timeline.startNs(launch);
            lastDelayNs[thread] = delayNs;
            lastStartNs[thread] = timeline.startNs(operation);
        }
        if (timeline.startNs(operation) < firstStartNs[stream]) {
            firstStartNs[stream] = timeline.startNs(operation);
            firstDelayNs[stream] = delayNs;
        }
    }

    /** Drops delays in which the device was idle: they are no queue. */
    private void keepQueues(DeviceActivity device, long[] lastStartNs) {
        for (int track = 0; track < lastStartNs.length; track++) {
            if (lastStartNs[track] != Long.MIN_VALUE && !isBusy(device, lastLaunchNs[track], lastStartNs[track])) {
                lastDelayNs[track] = 0;
            }
            boolean stream =
                    timeline.tracks().get(track).parent() == device.track().id();
            if (stream && firstDelayNs[track] > 0 && !isBusy(device, startNs, firstStartNs[track])) {
                firstDelayNs[track] = 0;
            }
        }
    }

    private static boolean isBusy(DeviceActivity device, long fromNs, long toNs) {
        return fromNs < toNs && device.busy().totalWithinNs(fromNs, toNs) >= BUSY * (toNs - fromNs);
    }

    /** Returns whether the work of a launch without recorded work starts after the recording ends. */
    boolean endsBefore(int launch) {
        int thread = timeline.track(launch);
        return timeline.startNs(launch) > lastLaunchNs[thread]
                && lastLaunchNs[thread] != Long.MIN_VALUE
                && timeline.startNs(launch) >= endNs - lastDelayNs[thread];
    }

    /** Returns whether an operation, whose launch is not recorded, was launched before the recording begins. */
    boolean beginsAfter(int operation) {
        int stream = timeline.track(operation);
        return timeline.startNs(operation) < firstStartNs[stream]
                && firstStartNs[stream] != Long.MAX_VALUE
                && timeline.startNs(operation) <= startNs + firstDelayNs[stream];
    }
}
