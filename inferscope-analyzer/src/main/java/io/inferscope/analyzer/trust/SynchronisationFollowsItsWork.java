package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Timeline;
import java.util.Set;

/**
 * A call that waits for all of a device cannot return before what was launched ahead of it has ended. The counterpart of
 * {@link KernelsFollowTheirLaunch}: together they bound the skew of the two clocks from both sides.
 *
 * <pre>
 *   host     LL .. [ cudaDeviceSynchronize ]
 *   device         ##########################      ends after the call returned: late by the last two
 * </pre>
 */
final class SynchronisationFollowsItsWork extends Check {
    private static final Set<String> WHOLE_DEVICE =
            Set.of("cudaDeviceSynchronize", "hipDeviceSynchronize", "cuCtxSynchronize");

    SynchronisationFollowsItsWork() {
        super("synchronisation-follows-its-work");
    }

    @Override
    TrustCheck of(Recorded recorded) {
        if (recorded.analysis().devices().size() != 1) {
            return pass(
                    recorded.hasDevices()
                            ? "several devices: which one a call waits for is not recorded"
                            : "no device operation is recorded");
        }
        DeviceActivity device = recorded.analysis().devices().get(0);
        Timeline timeline = recorded.timeline();
        long calls = 0;
        long late = 0;
        long worstNs = 0;
        long seenEndNs = Long.MIN_VALUE;
        int next = 0;
        for (int row : inStartOrder(recorded)) {
            while (next < device.operationCount() && timeline.startNs(device.row(next)) < timeline.startNs(row)) {
                seenEndNs = Math.max(seenEndNs, timeline.endNs(device.row(next++)));
            }
            calls++;
            long lateNs = seenEndNs == Long.MIN_VALUE ? 0 : seenEndNs - timeline.endNs(row);
            late += lateNs > 0 ? 1 : 0;
            worstNs = Math.max(worstNs, lateNs);
        }
        String detail =
                part(late, calls, "calls that wait for all of the device", "return before the work under way has ended")
                        + (late > 0 ? ", by up to " + Units.duration(worstNs) : "");
        return late > 0
                ? fail(
                        recorded.shareOfWindow(worstNs) > recorded.threshold("skew.share"),
                        detail + ": host and device clocks disagree",
                        recorded.recorder().again())
                : pass(detail);
    }

    private static int[] inStartOrder(Recorded recorded) {
        Timeline timeline = recorded.timeline();
        return java.util.Arrays.stream(recorded.analysis().apiCalls())
                .filter(row -> WHOLE_DEVICE.contains(timeline.name(row)))
                .boxed()
                .sorted(java.util.Comparator.comparingLong(timeline::startNs))
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
