package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.BitSet;
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
    private static final Set<String> WHOLE_DEVICE =
            Set.of("cudaDeviceSynchronize", "hipDeviceSynchronize", "cuCtxSynchronize");

    SynchronisationFollowsItsWork() {
        super("synchronisation-follows-its-work", KernelsFollowTheirLaunch.SKEW);
    }

    @Override
    TrustCheck ofDevices(RecordingFacts recorded) {
        Early early = new Early();
        for (DeviceActivity device : recorded.analysis().devices()) {
            early.look(recorded.timeline(), device, inStartOrder(recorded, device));
        }
        String detail = part(
                        early.count,
                        early.calls,
                        "calls that wait for all of the device",
                        "return before the work under way has ended")
                + (early.count > 0 ? ", by up to " + Units.duration(early.worstNs) : "");
        return early.count > 0
                ? fail(
                        recorded.shareOfWindow(early.worstNs) > recorded.threshold(KernelsFollowTheirLaunch.SKEW),
                        detail + ": host and device clocks disagree",
                        recorded.recorder().again())
                : pass(detail);
    }

    /** Calls that return too early, and by how much. */
    private static final class Early {
        private long calls;
        private long count;
        private long worstNs;

        void look(Timeline timeline, DeviceActivity device, int[] waiting) {
            long seenEndNs = Long.MIN_VALUE;
            int next = 0;
            for (int row : waiting) {
                while (next < device.operationCount() && timeline.startNs(device.row(next)) < timeline.startNs(row)) {
                    seenEndNs = Math.max(seenEndNs, timeline.endNs(device.row(next++)));
                }
                calls++;
                long earlyNs = seenEndNs == Long.MIN_VALUE ? 0 : seenEndNs - timeline.endNs(row);
                count += earlyNs > 0 ? 1 : 0;
                worstNs = Math.max(worstNs, earlyNs);
            }
        }
    }

    /**
     * Returns the calls that wait for a device: with several devices, calls of threads that launch only on that one.
     */
    private static int[] inStartOrder(RecordingFacts recorded, DeviceActivity device) {
        Timeline timeline = recorded.timeline();
        boolean only = recorded.analysis().devices().size() == 1;
        BitSet threads = only ? new BitSet() : threadsOfOnly(recorded, device);
        return java.util.Arrays.stream(recorded.analysis().apiCalls())
                .filter(row -> WHOLE_DEVICE.contains(timeline.name(row)))
                .filter(row -> only || threads.get(timeline.track(row)))
                .boxed()
                .sorted(Order.comparingLong(timeline::startNs))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private static BitSet threadsOfOnly(RecordingFacts recorded, DeviceActivity device) {
        BitSet own = new BitSet();
        BitSet others = new BitSet();
        for (DeviceActivity any : recorded.analysis().devices()) {
            for (int i = 0; i < any.operationCount(); i++) {
                if (any.launch(i) >= 0) {
                    (any == device ? own : others).set(recorded.timeline().track(any.launch(i)));
                }
            }
        }
        own.andNot(others);
        return own;
    }
}
