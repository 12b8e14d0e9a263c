package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.RecordingCost;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Tables about the recording itself: rules, import, coverage and overhead. */
public final class RecordingTables {
    /** From this number on, rules with the same reason are counted instead of listed. */
    private static final int COUNTED_RULES = 4;

    private static final String UNKNOWN = "unknown";

    private RecordingTables() {}

    static List<Table> of(Report report) {
        return List.of(outcomes(report), imported(report.importStats()), overheads(report));
    }

    /** Returns the trust checks that passed. */
    public static Table passed(Report report) {
        return new Table(
                "Trust checks passed",
                "",
                columns(names("Check"), texts("Seen")),
                report.trust().stream()
                        .filter(Report.TrustCheck::passed)
                        .map(check -> List.of(check.check(), check.detail()))
                        .toList());
    }

    /** Returns the recordings on the timeline and how their clocks were tied together; empty when there is only one. */
    public static Table sources(Report report) {
        return new Table(
                "Recordings on this timeline",
                "",
                columns(names("Recording"), texts("Format"), numbers("Moved by", "May be off by"), texts("Because")),
                report.sources().stream()
                        .map(source -> List.of(
                                source.name(),
                                source.format(),
                                moved(source.offsetNs()),
                                error(source),
                                source.evidence()))
                        .toList());
    }

    private static String sentence(Report.Source source) {
        // An offset of years between Unix time and time since boot is not informative.
        String moved =
                Math.abs(source.offsetNs()) < 3_600_000_000_000L ? "moved by " + moved(source.offsetNs()) + ", " : "";
        return source.name() + ": " + moved + "may be off by "
                + (error(source).equals(UNKNOWN) ? "an unknown time" : error(source)) + " (" + source.evidence() + ")";
    }

    /** Returns the recordings as sentences, one for all recordings with the same text. */
    public static List<String> sentences(List<Report.Source> sources) {
        Map<String, List<Report.Source>> alike = new LinkedHashMap<>();
        sources.forEach(source -> alike.computeIfAbsent(
                        sentence(source).substring(source.name().length()), absent -> new ArrayList<>())
                .add(source));
        return alike.entrySet().stream()
                .map(same -> same.getValue().get(0).name()
                        + (same.getValue().size() > 1
                                ? " and " + (same.getValue().size() - 1) + " more"
                                : "")
                        + same.getKey())
                .toList();
    }

    private static String moved(long ns) {
        return (ns < 0 ? "-" : ns > 0 ? "+" : "") + Units.duration(Math.abs(ns));
    }

    private static String error(Report.Source source) {
        return source.errorBoundNs() < 0 ? UNKNOWN : Units.duration(source.errorBoundNs());
    }

    /** Returns the coverage of each recorder, incomplete ones first. */
    public static Table coverage(Report report) {
        return new Table(
                "What was recorded",
                "",
                columns(names("Source"), numbers("Recorded", "Missed"), texts("Why")),
                report.coverage().stream()
                        .sorted(Order.comparing(coverage ->
                                coverage.missing() <= 0 && coverage.why().isBlank()))
                        .map(coverage -> List.of(
                                coverage.source(),
                                Units.count(coverage.recorded()),
                                Units.count(coverage.missing()),
                                coverage.why()))
                        .toList());
    }

    /**
     * Rules that found nothing or do not apply. Many inapplicable rules with the same reason are counted, not listed.
     */
    private static Table outcomes(Report report) {
        Map<String, Long> reasons = report.outcomes().stream()
                .filter(outcome -> outcome.outcome() == RuleOutcome.Outcome.NOT_APPLICABLE)
                .collect(Collectors.groupingBy(RuleOutcome::because, TreeMap::new, Collectors.counting()));
        reasons.values().removeIf(count -> count < COUNTED_RULES);
        String counted = reasons.entrySet().stream()
                .map(reason -> Units.count(reason.getValue()) + " rules do not apply: " + reason.getKey() + ".")
                .collect(Collectors.joining(" "));
        return new Table(
                "Checked, and nothing found",
                counted,
                columns(names("Rule"), texts("Looks for", "Outcome", "Because")),
                report.outcomes().stream()
                        .filter(outcome -> outcome.outcome() != RuleOutcome.Outcome.FOUND)
                        .filter(outcome -> outcome.outcome() != RuleOutcome.Outcome.NOT_APPLICABLE
                                || !reasons.containsKey(outcome.because()))
                        .map(outcome -> List.of(
                                outcome.rule(),
                                outcome.title(),
                                outcome.outcome().id().replace('-', ' '),
                                outcome.because()))
                        .toList());
    }

    private static Table imported(ImportStats stats) {
        return new Table(
                "What the import could not use",
                Units.count(stats.eventsRead()) + " events in " + Units.bytes(stats.bytesRead()) + " were read.",
                columns(
                        texts("Reason", "Effect"),
                        numbers("Count"),
                        names("First in"),
                        numbers("At byte"),
                        names("Found there")),
                stats.entries().stream()
                        .map(entry -> List.of(
                                entry.reason().text(),
                                entry.reason().effect().name().toLowerCase(Locale.ROOT),
                                Units.count(entry.count()),
                                entry.source(),
                                entry.firstOffsetBytes() < 0 ? Units.ABSENT : Units.count(entry.firstOffsetBytes()),
                                entry.firstDetail()))
                        .toList());
    }

    private static Table overheads(Report report) {
        return new Table(
                "What recording cost",
                RecordingCost.sentence(report),
                columns(names("Recorder"), numbers("CPU", "Held the program up", "Events")),
                report.overheads().stream()
                        .map(overhead -> List.of(
                                overhead.recorder(),
                                Units.duration(overhead.cpuNs()),
                                Units.duration(overhead.heldUpNs()),
                                Units.count(overhead.events())))
                        .toList());
    }
}
