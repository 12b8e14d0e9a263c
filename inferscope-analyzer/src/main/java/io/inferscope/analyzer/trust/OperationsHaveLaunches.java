package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;

/** Device work whose launch is not recorded: the idle time before it has no known cause. */
final class OperationsHaveLaunches extends Check {
    static final Threshold UNLAUNCHED = Threshold.of("trust.unlaunched.share");

    @Override
    TrustCheck of(RecordingFacts recorded) {
        long operations = 0;
        long unlaunched = 0;
        long before = 0;
        for (DeviceActivity device : recorded.analysis().devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                if (device.isMigration(i)) {
                    continue; // Pages of unified memory move when they are touched.
                }
                operations++;
                boolean cut = device.launch(i) < 0 && recorded.queueAtEnds().beginsAfter(device.row(i));
                unlaunched += device.launch(i) < 0 && !cut ? 1 : 0;
                before += cut ? 1 : 0;
            }
        }
        String detail = part(unlaunched, operations, "device operations", "have no launch in the trace")
                + (before == 0 ? "" : "; " + before + " more were launched before the recording begins");
        if (unlaunched + before == 0) {
            return pass(detail);
        }
        if (!RecordingRemedy.hasLaunches(recorded.analysis())) {
            return pass("no recording of a TPU holds launches: idle time that its operations end is unattributed");
        }
        return fail(
                unlaunched > recorded.threshold(UNLAUNCHED) * operations,
                detail + ": idle time that they end is unattributed",
                recorded.analysis().apiCalls().length > 0
                        ? "start the profiler before the work is launched, or skip the first step: "
                                + recorded.recorder().again()
                        : "record the host's calls too: " + recorded.recorder().inDetail());
    }
}
