package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;

/** Reports copies inside a device that no kernel hides. Basis and threshold: docs/rules/exposed-d2d.md. */
final class ExposedDeviceToDeviceRule extends ExposedCopyRule {
    ExposedDeviceToDeviceRule() {
        super("exposed-d2d", "Device-to-device copies the GPU waits for", CopyDirection.D2D, LedgerClass.COPY_OTHER);
    }

    /** The class holds sets and copies between devices, too. */
    @Override
    long costNs(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        Stretch part = analysis.judged().stretch();
        Intervals.Builder copies = new Intervals.Builder(16);
        for (int i = 0; i < device.operationCount(); i++) {
            if (timeline.kind(device.row(i)) == RowKind.MEMCPY_D2D) {
                copies.add(timeline.startNs(device.row(i)), timeline.endNs(device.row(i)));
            }
        }
        return copies.build()
                .clip(part.startNs(), part.endNs())
                .intersect(device.exposed(LedgerClass.COPY_OTHER))
                .totalNs();
    }
}
