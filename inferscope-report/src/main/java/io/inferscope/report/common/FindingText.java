package io.inferscope.report.common;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A finding in words. */
public record FindingText(Report report, Finding finding) {
    /** A line of a source file, such as {@code app.py:31}. */
    public static final Pattern SOURCE_LINE = Pattern.compile(":\\d+");

    /** A line with a smaller share of the first place's time is another cause. */
    private static final double LEAST_OF_FIRST = 0.9;

    public String severity() {
        return switch (finding.severity()) {
            case CRITICAL -> "Critical";
            case WARNING -> "Warning";
            case INFO -> "Note";
            case HEALTHY -> "Healthy";
        };
    }

    /** Returns its rule's title, or the rule's id. */
    public String title() {
        return report.outcomes().stream()
                .filter(outcome -> outcome.rule().equals(finding.rule())
                        && !outcome.title().isBlank())
                .map(Report.RuleOutcome::title)
                .findFirst()
                .orElse(finding.rule());
    }

    /** Returns {@code costs 18.4 ms (21.0% of the span of device 0)}, or nothing for a finding without cost. */
    public String cost() {
        return finding.costNs() <= 0
                ? ""
                : (finding.severity() == Finding.Severity.HEALTHY ? "takes " : "costs ")
                        + Units.duration(finding.costNs()) + " (" + Units.percent(finding.share()) + stretch() + ")";
    }

    /**
     * Returns the first line of code in its evidence; the first place where there is none, or where that place is
     * another function, {@code function [file]}, that takes more time.
     */
    public Optional<String> where() {
        List<String> places = finding.places();
        String first = places.isEmpty() ? "" : places.get(0);
        double leastNs = first.endsWith("]") ? LEAST_OF_FIRST * ns(first, 0) : 0;
        return places.stream()
                .filter(where -> SOURCE_LINE.matcher(where).find())
                .filter(where -> where.endsWith(first) || ns(where, Long.MAX_VALUE) >= leastNs)
                .findFirst()
                .or(() -> places.stream().findFirst());
    }

    private long ns(String where, long unknown) {
        return finding.evidence().stream()
                .filter(one ->
                        one instanceof Evidence.Place place && place.where().equals(where))
                .mapToLong(one -> ((Evidence.Place) one).ns())
                .findFirst()
                .orElse(unknown);
    }

    public List<Prose> evidence() {
        return evidence(PlainText.NAME);
    }

    /** Returns the evidence in words, its names cut to about {@code name} characters each. */
    public List<Prose> evidence(int name) {
        return finding.evidence().stream().map(one -> words(one, name)).toList();
    }

    /** Returns whether there is a gain, or advice without a gain, which needs an explanation. */
    public boolean claimsOrExplainsGain() {
        return finding.gain() != null
                || !finding.advice().isBlank()
                || !finding.noGainBecause().isBlank();
    }

    /** Returns the gain as an interval with its assumptions, or why none is claimed. */
    public Prose gain() {
        return gain(assumption -> true);
    }

    /** Returns the gain as an interval, with the reason where all of it is above the cost, or why none is claimed. */
    public Prose gainWithoutAssumptions() {
        return gain(assumption -> assumption.startsWith(Finding.Gain.BEYOND)
                && Objects.requireNonNull(finding.gain()).lowNs() > finding.costNs());
    }

    private Prose gain(Predicate<String> told) {
        Finding.Gain gain = finding.gain();
        if (gain == null) {
            String because = finding.noGainBecause();
            return Prose.of("none claimed" + (because.isBlank() ? "" : ": " + because));
        }
        long ofNs = report.ledgers().stream()
                .filter(ledger -> finding.of().equals(ledger.what()))
                .mapToLong(Ledger::durationNs)
                .findFirst()
                .orElse(0);
        String ns = interval(Units.duration(gain.lowNs()), Units.duration(gain.highNs()), gain);
        String share = ofNs <= 0
                ? ""
                : " (" + interval(percent(gain.lowNs(), ofNs), percent(gain.highNs(), ofNs), gain) + stretch() + ")";
        return Prose.of(ns
                + share
                + gain.assumptions().stream()
                        .filter(told)
                        .map(assumption -> "; " + assumption)
                        .collect(Collectors.joining()));
    }

    private String stretch() {
        return finding.of().isBlank() ? "" : " of the " + finding.of();
    }

    private static String percent(long ns, long ofNs) {
        return Units.percent((double) ns / ofNs);
    }

    private static String interval(String low, String high, Finding.Gain gain) {
        return gain.lowNs() == 0 ? "up to " + high : Units.interval(low, high);
    }

    private Prose words(Evidence evidence, int name) {
        if (evidence instanceof Evidence.Range range) {
            return range(range, name);
        }
        if (evidence instanceof Evidence.Place place) {
            String often = place.count() > 1 ? ", " + Units.count(place.count()) + " times" : "";
            return Prose.of(place.label() + ": ")
                    .code(place.where(), name)
                    .words(", " + Units.duration(place.ns()) + often);
        }
        Evidence.Quantity quantity = (Evidence.Quantity) evidence;
        return Prose.of(quantity.label() + ": " + Units.quantity(quantity.value(), quantity.unit()));
    }

    /** Returns an interval in words. Times are relative to the window's start, the only zero that readers know. */
    private Prose range(Evidence.Range range, int name) {
        long zeroNs = report.window().startNs();
        Prose prose = Prose.of(range.label() + ": " + Units.duration(range.endNs() - range.startNs()) + " at "
                + Units.point(range.startNs() - zeroNs));
        if (!range.track().isEmpty()) {
            prose = prose.words(" on ").code(range.track(), name);
        }
        return range.where().isEmpty() ? prose : prose.words(", ").code(range.where(), name);
    }
}
