package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A call that waits for a whole device cannot return before the operations launched before it have ended. The
 * counterpart of {@link KernelsFollowTheirLaunch}: together they bound the skew of the two clocks from both sides.
 *
 * <pre>
 *   host     LL .. [ cudaDeviceSynchronize ]
 *   device         ##########################      ends after the call returned, by the last two columns
 * </pre>
 */
final class SynchronisationFollowsItsWork extends Check.OfDevices {
    /** HIP's stamps of short work that a call waited for may be as much later than the call. */
    private static final long SLACK_NS = 10_000;

    private static final Set<String> WHOLE_DEVICE =
            Set.of("cudaDeviceSynchronize", "hipDeviceSynchronize", "cuCtxSynchronize");

    @Override
    TrustCheck ofDevices(RecordingFacts recorded) {
        Early early = new Early();
        waiting(recorded).forEach((device, calls) -> {
            calls.sort(Order.comparingLong(recorded.timeline()::startNs));
            early.look(recorded.timeline(), device, calls);
        });
        String detail = part(
                        early.count,
                        early.calls,
                        "calls that wait for all of the device",
                        "return before the work under way has ended")
                + (early.count > 0 ? ", by up to " + Units.duration(early.worstNs) : "");
        return early.count > 0
                ? fail(
                        recorded.shareOfWindow(early.totalNs) > recorded.threshold(KernelsFollowTheirLaunch.SKEW),
                        detail + ": host and device clocks disagree",
                        recorded.recorder().again())
                : pass(detail);
    }

    /** Calls that return too early, and by how much. */
    private static final class Early {
        private long calls;
        private long count;
        private long worstNs;
        private long totalNs;

        void look(Timeline timeline, DeviceActivity device, List<Integer> waiting) {
            long[] endNs =
                    new long[waiting.size()]; // Of what is under way when a call begins, and not when the one before.
            Arrays.fill(endNs, Long.MIN_VALUE);
            for (int i = 0; i < device.operationCount(); i++) {
                int row = device.row(i);
                long runs = timeline.startNs(row);
                long sinceNs = device.launch(i) >= 0 ? Math.min(runs, timeline.endNs(device.launch(i))) : runs;
                int call = BinarySearch.first(0, endNs.length, c -> timeline.startNs(waiting.get(c)) > sinceNs);
                if (call < endNs.length) {
                    long slackNs = runs > timeline.startNs(waiting.get(call)) ? SLACK_NS : 0;
                    endNs[call] = Math.max(endNs[call], timeline.endNs(row) - slackNs);
                }
            }
            long seenEndNs = Long.MIN_VALUE;
            for (int call = 0; call < endNs.length; call++) {
                seenEndNs = Math.max(seenEndNs, endNs[call]);
                calls++;
                long earlyNs = seenEndNs == Long.MIN_VALUE ? 0 : seenEndNs - timeline.endNs(waiting.get(call));
                count += earlyNs > 0 ? 1 : 0;
                worstNs = Math.max(worstNs, earlyNs);
                totalNs += Math.max(0, earlyNs);
            }
        }
    }

    /** Returns the calls that wait for each device: with several devices, calls of threads that launch only on that one. */
    private static Map<DeviceActivity, List<Integer>> waiting(RecordingFacts recorded) {
        Timeline timeline = recorded.timeline();
        List<DeviceActivity> devices = recorded.analysis().devices();
        Map<Integer, Optional<DeviceActivity>> ofThreads = devices.size() == 1 ? Map.of() : ofThreads(recorded);
        Map<DeviceActivity, List<Integer>> waiting = new LinkedHashMap<>();
        for (int row : recorded.analysis().apiCalls()) {
            if (WHOLE_DEVICE.contains(timeline.name(row))) {
                Optional<DeviceActivity> device = devices.size() == 1
                        ? Optional.of(devices.get(0))
                        : ofThreads.getOrDefault(timeline.track(row), Optional.empty());
                device.ifPresent(of ->
                        waiting.computeIfAbsent(of, d -> new ArrayList<>()).add(row));
            }
        }
        return waiting;
    }

    /** Returns the device on which each thread launches; empty for several. */
    private static Map<Integer, Optional<DeviceActivity>> ofThreads(RecordingFacts recorded) {
        Map<Integer, Optional<DeviceActivity>> found = new HashMap<>();
        for (DeviceActivity device : recorded.analysis().devices()) {
            Optional<DeviceActivity> only = Optional.of(device);
            device.launches()
                    .map(recorded.timeline()::track)
                    .forEach(thread -> found.merge(
                            thread, only, (known, other) -> known.equals(other) ? known : Optional.empty()));
        }
        return found;
    }
}
