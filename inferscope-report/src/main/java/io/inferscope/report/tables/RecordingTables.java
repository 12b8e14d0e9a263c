package io.inferscope.report.tables;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.RecordingCost;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.merge.TimelineMerge.Source;
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
        return Table.of(
                "Trust checks passed",
                "",
                report.trust().stream().filter(Report.TrustCheck::passed).toList(),
                (row, check) -> row.name("Check", check.check()).words("Seen", check.detail()));
    }

    /** Returns the recordings on the timeline and how their clocks were tied together; empty when there is only one. */
    public static Table sources(Report report) {
        return Table.of(
                "Recordings on this timeline",
                "",
                report.sources(),
                (row, source) -> row.name("Recording", source.name())
                        .words("Format", source.format())
                        .number("Moved by", moved(source.offsetNs()))
                        .number("May be off by", error(source))
                        .words("Because", source.evidence()));
    }

    private static String sentence(Source source) {
        // An offset of years between Unix time and time since boot is not informative.
        String moved =
                Math.abs(source.offsetNs()) < 3_600_000_000_000L ? "moved by " + moved(source.offsetNs()) + ", " : "";
        return source.name() + ": " + moved + "may be off by "
                + (error(source).equals(UNKNOWN) ? "an unknown time" : error(source)) + " (" + source.evidence() + ")";
    }

    /** Returns the recordings as sentences, one for all recordings with the same text. */
    public static List<String> sentences(List<Source> sources) {
        Map<String, List<Source>> alike = new LinkedHashMap<>();
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

    private static String error(Source source) {
        return source.errorBoundNs() < 0 ? UNKNOWN : Units.duration(source.errorBoundNs());
    }

    /** Returns the coverage of each recorder, incomplete ones first. */
    public static Table coverage(Report report) {
        return Table.of(
                "What was recorded",
                "",
                report.coverage().stream()
                        .sorted(Order.comparing(coverage ->
                                coverage.missing() <= 0 && coverage.why().isBlank()))
                        .toList(),
                (row, coverage) -> row.name("Source", coverage.source())
                        .count("Recorded", coverage.recorded())
                        .count("Missed", coverage.missing())
                        .words("Why", coverage.why()));
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
        return Table.of(
                "Checked, and nothing found",
                counted,
                report.outcomes().stream()
                        .filter(outcome -> outcome.outcome() != RuleOutcome.Outcome.FOUND)
                        .filter(outcome -> outcome.outcome() != RuleOutcome.Outcome.NOT_APPLICABLE
                                || !reasons.containsKey(outcome.because()))
                        .toList(),
                (row, outcome) -> row.name("Rule", outcome.rule())
                        .words("Looks for", outcome.title())
                        .words("Outcome", outcome.outcome().id().replace('-', ' '))
                        .words("Because", outcome.because()));
    }

    private static Table imported(ImportStats stats) {
        return Table.of(
                "What the import could not use",
                Units.count(stats.eventsRead()) + " events in " + Units.bytes(stats.bytesRead()) + " were read.",
                stats.entries(),
                (row, entry) -> row.words("Reason", entry.reason().text())
                        .words("Effect", entry.reason().effect().name().toLowerCase(Locale.ROOT))
                        .count("Count", entry.count())
                        .name("First in", entry.source())
                        .number(
                                "At byte",
                                entry.firstOffsetBytes() < 0 ? Units.ABSENT : Units.count(entry.firstOffsetBytes()))
                        .name("Found there", entry.firstDetail()));
    }

    private static Table overheads(Report report) {
        return Table.of(
                "What recording cost",
                RecordingCost.sentence(report),
                report.overheads(),
                (row, overhead) -> row.name("Recorder", overhead.recorder())
                        .time("CPU", overhead.cpuNs())
                        .time("Held the program up", overhead.heldUpNs())
                        .count("Events", overhead.events()));
    }
}
