package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.Explained;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.diff.Comparison.Party;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Timeline;
import java.util.Map;
import java.util.Optional;

/** One of two recordings to compare: the recording itself, or what is left of it in a report. */
public sealed interface Side permits RecordedSide, ReportedSide {
    /** Explains a timeline by {@code analyzer}. */
    static Side of(Analyzer analyzer, Timeline timeline, String title) {
        Analysis analysis = analyzer.analysis(timeline);
        return of(analysis, analyzer.report(analysis, title));
    }

    /** Takes a recording that is explained already. */
    static Side of(Analysis analysis, Report report) {
        return new RecordedSide(analysis, report);
    }

    /** Takes a report for the recording that it was made of. */
    static Side of(Report report) {
        return new ReportedSide(report, ReportedSide.FORMAT);
    }

    /** Returns what is said of it. */
    Report report();

    /** Returns the recording with its report; empty where only the report is left. */
    default Optional<Explained> explained() {
        return Optional.empty();
    }

    /** Returns what it was read from. */
    String format();

    /** Returns what is known of it by its report alone. */
    ReportedSide reported();

    /** Returns its steps by what they are called: those of {@code stretch}. */
    Map<String, Steps> steps(Stretch stretch);

    /** Returns how often something happened and how long it took, by name; {@code stretch} is when it began. */
    Map<String, Durations> durations(Things things, Stretch stretch);

    /** Returns what is known of a cause: constants that share an id may not be told apart. */
    default LedgerClass known(LedgerClass cause) {
        return cause;
    }

    /** Returns the device that is judged, if one is. */
    default Optional<DeviceFigures> device() {
        return report().judgedDevice();
    }

    /** Returns whether the trust gate found that the recording lacks what a verdict needs. */
    default boolean isDistrusted() {
        return report().verdict().bound() == Bound.WITHHELD
                && (report().window().durationNs() == 0
                        || report().trust().stream().anyMatch(check -> !check.passed() && check.withholds()));
    }

    /** Returns the first sentence on why it is distrusted. */
    default String distrust() {
        return report().trust().stream()
                .filter(check -> !check.passed() && check.withholds())
                .map(TrustCheck::detail)
                .findFirst()
                .orElse(report().verdict().claim());
    }

    /** Returns a ledger of the judged subject by its part. */
    default Optional<Ledger> ledger(LedgerPart part) {
        return report().ledger(part);
    }

    /** Returns it as the comparison names it. */
    default Party party(double units) {
        return new Party(
                report().title(),
                format(),
                device().map(DeviceFigures::name).orElse(""),
                report().verdict().bound(),
                report().verdict().claim(),
                report().window().durationNs(),
                units);
    }
}
