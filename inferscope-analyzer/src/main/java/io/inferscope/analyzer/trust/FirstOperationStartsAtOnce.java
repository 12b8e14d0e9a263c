package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;

/**
 * Before the first recorded operation nothing recorded can hold it up: a long wait there means that earlier device work
 * is missing. If it is far longer than all calls together take, and all have returned by then, host and device have no
 * common clock.
 *
 * <pre>
 *   host     LLLLLL
 *   device                     ####  ####  ####
 * </pre>
 */
final class FirstOperationStartsAtOnce extends Check.OfDevices {
    private static final Threshold MOST = Threshold.of("trust.first-operation.share");

    /** A host may be a few steps ahead of the work that was launched before the recording, and not as many times its length. */
    private static final int FAR = 10;

    /** So few launches may be all that is left of a cut recording. */
    private static final int FEW = 10;

    @Override
    TrustCheck ofDevices(RecordingFacts recorded) {
        long worstNs = -1;
        for (DeviceActivity device : recorded.analysis().devices()) {
            if (device.launch(0) >= 0) {
                worstNs = Math.max(worstNs, device.queueDelayNs(0) - othersNs(recorded, device));
            }
        }
        if (worstNs < 0) {
            return pass("the launch of the first device operation is not recorded");
        }
        String detail =
                "the first device operation starts " + Units.duration(worstNs) + " after its launch call returned";
        if (worstNs <= recorded.threshold(TrustGate.FIRST_OPERATION)) {
            return pass(detail);
        }
        if (!hasCommonTime(recorded)) {
            return fail(
                    true,
                    detail
                            + ", when all calls had returned: the stamps of host and device are of different clocks or units",
                    recorded.recorder().again());
        }
        return fail(
                recorded.shareOfWindow(worstNs) > recorded.threshold(MOST),
                detail + ": earlier device work is missing, and the head of the window is not known to be idle",
                recorded.recorder().again());
    }

    /** Returns for how long another device works while the first operation of one waits: it may wait for that. */
    private static long othersNs(RecordingFacts recorded, DeviceActivity waiting) {
        long fromNs = waiting.firstNs() - waiting.queueDelayNs(0);
        return recorded.analysis().devices().stream()
                .filter(device -> device != waiting)
                .mapToLong(device -> device.busy().totalWithinNs(fromNs, waiting.firstNs()))
                .max()
                .orElse(0);
    }

    private static boolean hasCommonTime(RecordingFacts recorded) {
        long firstNs = Long.MAX_VALUE;
        long lastNs = Long.MIN_VALUE;
        for (int call : recorded.analysis().apiCalls()) {
            firstNs = Math.min(firstNs, recorded.timeline().startNs(call));
            lastNs = Math.max(lastNs, recorded.timeline().endNs(call));
        }
        long beginsNs = Long.MAX_VALUE;
        long launches = 0;
        for (DeviceActivity device : recorded.analysis().devices()) {
            beginsNs = Math.min(beginsNs, device.firstNs());
            for (int i = 0; i < device.operationCount() && launches < FEW; i++) {
                launches += device.launch(i) >= 0 && (i == 0 || device.launch(i) != device.launch(i - 1)) ? 1 : 0;
            }
        }
        return launches < FEW || beginsNs - lastNs <= FAR * (lastNs - firstNs);
    }
}
