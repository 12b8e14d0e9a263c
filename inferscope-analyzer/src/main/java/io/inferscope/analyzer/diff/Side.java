package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.diff.Comparison.Party;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Timeline;
import java.util.Map;
import java.util.Optional;

/** One of two recordings to compare: the recording itself, or a report on it. */
public sealed interface Side permits RecordedSide, ReportedSide {
    /** Explains a timeline by {@code analyzer}. */
    static Side of(Analyzer analyzer, Timeline timeline, String title) {
        Analysis analysis = analyzer.analysis(timeline);
        return of(analysis, analyzer.report(analysis, title));
    }

    /** Returns the side of an analysed recording. */
    static Side of(Analysis analysis, Report report) {
        return new RecordedSide(analysis, report);
    }

    /** Returns the side of a recording of which only the report exists, under the name of its file. */
    static Side of(Report report, String title) {
        return new ReportedSide(report, ReportedSide.FORMAT, title);
    }

    Report report();

    /** Returns what it is called: its file's name, as a rule. */
    String title();

    /** Returns the recording with its report; empty where only the report is left. */
    default Optional<AnalyzedReport> explained() {
        return Optional.empty();
    }

    /** Returns the format of its file. */
    String format();

    /** Returns the side that only the report shows. */
    ReportedSide reported();

    /** Returns it without the recording, but with the lengths of its steps, for those who keep many sides. */
    Side withoutRecording();

    /** Returns its steps in {@code stretch}, by name. */
    Map<String, StepLengths> steps(Stretch stretch);

    /** Returns the rounds in {@code stretch}: each lasts from the end of a step of a name to the end of the next. */
    StepLengths rounds(String label, Stretch stretch);

    /** Returns its requests that begin in {@code stretch}, by name. */
    Map<String, StepLengths> requests(Stretch stretch);

    /** Returns count and time of the entities that begin in {@code stretch}, by name. */
    Map<String, Durations> durations(EntityKind things, Stretch stretch);

    /** Returns the device that is judged, if one is. */
    default Optional<DeviceFigures> device() {
        return report().judgedDevice();
    }

    /** Returns whether a check of the trust gate withholds the verdict. */
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

    /** Returns the recording as the comparison describes it. */
    default Party party(double units) {
        return new Party(
                title(),
                format(),
                device().map(DeviceFigures::name).orElse(""),
                report().verdict().bound(),
                report().verdict().claim(),
                report().window().durationNs(),
                units);
    }
}
