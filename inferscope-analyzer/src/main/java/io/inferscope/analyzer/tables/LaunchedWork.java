package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds when the device work launched by a thread in an interval ends. The device work of a pass may end long after the
 * call has returned.
 */
final class LaunchedWork {
    private record Launch(long startNs, long workEndNs) {}

    private final Map<Integer, List<Launch>> byTrack = new HashMap<>();

    private LaunchedWork() {}

    static LaunchedWork of(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        LaunchedWork work = new LaunchedWork();
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                int launch = device.launch(i);
                if (launch >= 0) {
                    work.byTrack
                            .computeIfAbsent(timeline.track(launch), track -> new ArrayList<>())
                            .add(new Launch(timeline.startNs(launch), timeline.endNs(device.row(i))));
                }
            }
        }
        work.byTrack.values().forEach(launches -> launches.sort(Order.comparingLong(Launch::startNs)));
        return work;
    }

    /**
     * Returns the latest end of the operations that the thread launched in {@code [fromNs, toNs)}, at least {@code
     * toNs}.
     */
    long endNs(int track, long fromNs, long toNs) {
        List<Launch> launches = byTrack.getOrDefault(track, List.of());
        long endNs = toNs;
        for (int i = firstFrom(launches, fromNs);
                i < launches.size() && launches.get(i).startNs() < toNs;
                i++) {
            endNs = Math.max(endNs, launches.get(i).workEndNs());
        }
        return endNs;
    }

    private static int firstFrom(List<Launch> launches, long fromNs) {
        return BinarySearch.first(0, launches.size(), i -> launches.get(i).startNs() >= fromNs);
    }
}
