package io.inferscope.report;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import java.util.List;

/**
 * Keeps points in time within 2^53, above which JavaScript and many JSON readers round: an axis that is Unix time itself, or that
 * of a machine that has been up for 105 days, gets its zero at the start of the window. {@code originUnixNs} plus a point in
 * time stays the same.
 */
final class JsonAxis {
    private static final long SAFE = 1L << 53;

    private JsonAxis() {}

    static Report safe(Report report) {
        long furthest = Math.max(
                Math.abs(report.window().startNs()), Math.abs(report.window().endNs()));
        return furthest < SAFE ? report : shifted(report, report.window().startNs());
    }

    private static Report shifted(Report report, long byNs) {
        return new Report(
                report.title(),
                report.originUnixNs() + byNs,
                shifted(report.window(), byNs),
                new Report.Judged(
                        report.judged().what(),
                        report.judged().subject(),
                        shifted(report.judged().stretch(), byNs)),
                report.verdict(),
                report.ledgers(),
                report.rollup(),
                report.diagnosis(),
                report.suggestions(),
                report.devices().stream().map(device -> shifted(device, byNs)).toList(),
                report.idleBlame(),
                report.scopes(),
                report.kernels(),
                report.copies(),
                report.operators(),
                report.threads(),
                report.launches(),
                report.findings().stream()
                        .map(finding -> shifted(finding, byNs))
                        .toList(),
                report.outcomes(),
                report.trust(),
                report.coverage(),
                report.overheads(),
                report.importStats(),
                report.notes());
    }

    private static Stretch shifted(Stretch stretch, long byNs) {
        return new Stretch(stretch.startNs() - byNs, stretch.endNs() - byNs);
    }

    private static DeviceFigures shifted(DeviceFigures device, long byNs) {
        return new DeviceFigures(
                device.id(),
                device.name(),
                device.operations(),
                device.firstNs() - byNs,
                device.lastNs() - byNs,
                device.spanNs(),
                device.busyNs(),
                device.spanIdleNs(),
                device.windowIdleNs(),
                device.computeNs(),
                device.exposedCommunicationNs(),
                device.exposedH2dNs(),
                device.exposedD2hNs(),
                device.exposedOtherCopyNs(),
                device.gaps(),
                device.longestGapNs());
    }

    private static Finding shifted(Finding finding, long byNs) {
        List<Evidence> evidence =
                finding.evidence().stream().map(e -> shifted(e, byNs)).toList();
        return new Finding(
                finding.rule(),
                finding.severity(),
                finding.claim(),
                finding.costNs(),
                finding.share(),
                evidence,
                finding.advice(),
                finding.gain(),
                finding.noGainBecause());
    }

    private static Evidence shifted(Evidence evidence, long byNs) {
        return evidence instanceof Evidence.Range range
                ? new Evidence.Range(
                        range.label(), range.startNs() - byNs, range.endNs() - byNs, range.track(), range.where())
                : evidence;
    }
}
