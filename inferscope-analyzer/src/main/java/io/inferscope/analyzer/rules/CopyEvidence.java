package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.DeviceActivity;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;

/** The copy to look at first. */
final class CopyEvidence {
    private CopyEvidence() {}

    /** Returns the longest copy of a direction ({@code H2D} or {@code D2H}) on the headline device; there must be one. */
    static Evidence longest(Analysis analysis, String direction) {
        Timeline timeline = analysis.timeline();
        RowKind kind = direction.equals("H2D") ? RowKind.MEMCPY_H2D : RowKind.MEMCPY_D2H;
        DeviceActivity device = analysis.headline().orElseThrow();
        int best = -1;
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            if (timeline.kind(row) == kind
                    && (best < 0 || timeline.durationNs(row) > timeline.durationNs(device.row(best)))) {
                best = i;
            }
        }
        if (best < 0) {
            throw new IllegalArgumentException("no " + direction + " copy on device " + device.id());
        }
        return new Evidence.Range(
                "longest " + direction + " copy: " + timeline.name(device.row(best)),
                timeline.startNs(device.row(best)),
                timeline.endNs(device.row(best)),
                "device " + device.id(),
                analysis.where(device.launch(best)));
    }
}
