package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.diff.Comparison.Party;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Timeline;
import java.util.Optional;

/**
 * One of two recordings to compare.
 *
 * @param analysis what is computed from it
 * @param report what is said of it
 */
public record Side(Analysis analysis, Report report) {
    /** Explains a timeline by {@code analyzer}. */
    public static Side of(Analyzer analyzer, Timeline timeline, String title) {
        Analysis analysis = analyzer.analysis(timeline);
        return new Side(analysis, analyzer.report(analysis, title));
    }

    Timeline timeline() {
        return analysis.timeline();
    }

    /** Returns the device that is judged, if one is. */
    Optional<DeviceFigures> device() {
        return report.devices().stream()
                .filter(device -> report.judged().subject().equals("device " + device.id()))
                .findFirst();
    }

    /** Returns whether the trust gate found that the recording lacks what a verdict needs. */
    boolean isDistrusted() {
        return report.verdict().bound() == Bound.WITHHELD
                && (report.window().durationNs() == 0
                        || report.trust().stream().anyMatch(check -> !check.passed() && check.withholds()));
    }

    /** Returns the first sentence on why it is distrusted. */
    String distrust() {
        return report.trust().stream()
                .filter(check -> !check.passed() && check.withholds())
                .map(TrustCheck::detail)
                .findFirst()
                .orElse(report.verdict().claim());
    }

    /** Returns a ledger of the judged subject by its part. */
    Optional<Ledger> ledger(String part) {
        return report.ledgers().stream()
                .filter(ledger -> ledger.part().equals(part)
                        && ledger.subject().equals(report.judged().subject()))
                .findFirst();
    }

    Party party(double units) {
        return new Party(
                report.title(),
                timeline().info().format(),
                device().map(DeviceFigures::name).orElse(""),
                report.verdict().bound(),
                report.verdict().claim(),
                report.window().durationNs(),
                units);
    }
}
