package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;

/** No operation can start before its launch. Stamps that show this mean that the clocks of host and device disagree. */
final class KernelsFollowTheirLaunch extends Check {
    private static final Threshold EARLY_KERNELS = Threshold.of("trust.early-kernels.share");
    static final Threshold SKEW = Threshold.of("trust.skew.share");

    @Override
    TrustCheck of(RecordingFacts recorded) {
        long linked = 0;
        long early = 0;
        long worstNs = 0;
        for (DeviceActivity device : recorded.analysis().devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                if (device.launch(i) >= 0) {
                    linked++;
                    long latencyNs = device.launchLatencyNs(i);
                    early += latencyNs < 0 ? 1 : 0;
                    worstNs = Math.max(worstNs, -latencyNs);
                }
            }
        }
        String detail = part(early, linked, "operations", "start before their launch call")
                + (early > 0 ? ", by up to " + Units.duration(worstNs) : "");
        boolean many = early > recorded.threshold(EARLY_KERNELS) * linked;
        boolean far = recorded.shareOfWindow(worstNs) > recorded.threshold(SKEW);
        return early > 0
                ? fail(
                        many || far,
                        detail + ": host and device clocks disagree",
                        recorded.recorder().again())
                : pass(detail);
    }
}
