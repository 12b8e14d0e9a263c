package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The time in which processes without recorded work used a device.
 *
 * <pre>
 *   readings    |     100 %     |     100 %     |     40 %      |
 *   processes         2               2               1
 *   recorded    ###....###......  ###.......####   ######
 *   others         ####   ######     #######
 * </pre>
 *
 * Without MPS, the processes of a device take turns of some milliseconds. The driver counts how long any kernel ran and
 * how many processes have a context. Where it counts more processes than have operations in the recording, what it
 * counts beyond the recorded kernels is the others' time. Where it does not, kernels may be missing in the recording.
 */
public final class UnrecordedDeviceUsers {
    /** Time between two readings, and the share of it in which the driver saw a kernel run. */
    private record Reading(long startNs, long endNs, double busyRatio) {}

    private final Intervals kernels;
    private final List<Reading> shared = new ArrayList<>();

    /** Looks for time in which others used a device. */
    public UnrecordedDeviceUsers(Analysis analysis, DeviceActivity device) {
        this.kernels = device.compute().union(device.exposed(LedgerClass.GPU_COMMUNICATION));
        Optional<Series> utilisation = analysis.counters().ofDevice(DeviceCounters.UTILISATION, device.id());
        Optional<Series> processes = analysis.counters().ofDevice(DeviceCounters.PROCESSES, device.id());
        if (utilisation.isEmpty() || processes.isEmpty()) {
            return;
        }
        Series busy = utilisation.get();
        for (int i = 1; i < busy.size(); i++) {
            Reading reading = new Reading(busy.timeNs(i - 1), busy.timeNs(i), busy.value(i));
            boolean isRatio = reading.busyRatio >= 0 && reading.busyRatio <= 1;
            if (isRatio && processes.get().at(reading.endNs) > recorded(analysis.timeline(), device, reading)) {
                shared.add(reading);
            }
        }
    }

    /** Returns the time in the judged part in which work recorded here waited while others used the device, in ns. */
    public static long judgedWaitNs(Analysis analysis) {
        return analysis.headline()
                .map(device -> {
                    Stretch part = analysis.judged().stretch();
                    Intervals idle = device.busy().complementWithin(part.startNs(), part.endNs());
                    return new UnrecordedDeviceUsers(analysis, device).waitedNs(idle, part);
                })
                .orElse(0L);
    }

    /** Returns how many processes launched the operations that start in a reading; at least 1. */
    private static int recorded(Timeline timeline, DeviceActivity device, Reading reading) {
        Set<Integer> processes = new HashSet<>();
        int first =
                BinarySearch.first(0, device.operationCount(), i -> timeline.startNs(device.row(i)) >= reading.startNs);
        for (int i = first; i < device.operationCount() && timeline.startNs(device.row(i)) < reading.endNs; i++) {
            if (device.launch(i) >= 0) {
                processes.add(
                        timeline.tracks().get(timeline.track(device.launch(i))).parent());
            }
        }
        return Math.max(1, processes.size());
    }

    /** Returns the time in a part in which others used the device, in ns. */
    public long usedNs(Stretch part) {
        return waitedNs(Intervals.of(part.startNs(), part.endNs()), part);
    }

    /** Returns the most of some waits in a part that others' use of the device explains, in ns. */
    public long waitedNs(Intervals waits, Stretch part) {
        long sumNs = 0;
        for (Reading reading : shared) {
            long fromNs = Math.max(part.startNs(), reading.startNs);
            long toNs = Math.min(part.endNs(), reading.endNs);
            if (fromNs < toNs) {
                long busyNs = Math.round(reading.busyRatio * (toNs - fromNs));
                long othersNs = Math.max(0, busyNs - kernels.totalWithinNs(fromNs, toNs));
                sumNs += Math.min(othersNs, waits.totalWithinNs(fromNs, toNs));
            }
        }
        return sumNs;
    }
}
