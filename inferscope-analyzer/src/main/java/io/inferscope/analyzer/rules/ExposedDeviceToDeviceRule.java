package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;

/** Reports copies inside a device that no kernel hides. Basis and threshold: docs/rules/exposed-d2d.md. */
final class ExposedDeviceToDeviceRule extends ExposedCopyRule {
    ExposedDeviceToDeviceRule() {
        super(
                new RuleInfo("exposed-d2d", "Device-to-device copies the GPU waits for", Needs.DEVICE_WORK),
                CopyDirection.D2D,
                LedgerClass.COPY_OTHER);
    }

    /** The class holds sets and copies between devices, too. */
    @Override
    long costNs(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        return device.times(
                        row -> timeline.kind(row) == RowKind.MEMCPY_D2D,
                        analysis.judged().stretch())
                .intersect(device.exposed(LedgerClass.COPY_OTHER))
                .totalNs();
    }
}
