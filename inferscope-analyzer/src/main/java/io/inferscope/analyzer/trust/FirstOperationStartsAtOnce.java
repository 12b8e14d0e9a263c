package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;

/**
 * Before the first recorded operation nothing recorded can hold it up: a long wait there means that earlier device work
 * is missing.
 */
final class FirstOperationStartsAtOnce extends Check.OfDevices {
    private static final Threshold MOST = new Threshold(
            "trust.first-operation.share",
            0.50,
            "queue delay of the first operation, of the window, that withholds the verdict");

    FirstOperationStartsAtOnce() {
        super("first-operation-starts-at-once", TrustGate.FIRST_OPERATION, MOST);
    }

    @Override
    TrustCheck ofDevices(RecordingFacts recorded) {
        long worstNs = -1;
        for (DeviceActivity device : recorded.analysis().devices()) {
            if (device.launch(0) >= 0) {
                worstNs = Math.max(worstNs, device.queueDelayNs(0));
            }
        }
        if (worstNs < 0) {
            return pass("the launch of the first device operation is not recorded");
        }
        String detail =
                "the first device operation starts " + Units.duration(worstNs) + " after its launch call returned";
        return worstNs > recorded.threshold(TrustGate.FIRST_OPERATION)
                ? fail(
                        recorded.shareOfWindow(worstNs) > recorded.threshold(MOST),
                        detail + ": earlier device work is missing, and the head of the window is not known to be idle",
                        recorded.recorder().again())
                : pass(detail);
    }
}
