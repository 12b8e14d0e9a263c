package io.inferscope.report.common;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Reason;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The head of every report for people. */
public record Headline(Report report) {
    /** Least share of the window at which a head or tail is pointed out. */
    private static final double LOOK_HERE = 0.20;

    /** The parts into which a device's span divides the window. */
    private static final List<LedgerPart> DIVISION = List.of(LedgerPart.HEAD, LedgerPart.SPAN, LedgerPart.TAIL);

    /** Checks of the trust gate that fail for recordings without a course of time. */
    private static final Set<String> LEAVING_TIME_OUT = Set.of("samples-carry-time", "instants-are-recorded");

    /** A finding that costs more than this many times what another one saves is the one to act on. */
    private static final int FAR_MORE = 2;

    /** The check that fails if earlier device work is missing. */
    private static final String HEAD_IS_KNOWN = "first-operation-starts-at-once";

    /** Returns the name of the window's length. If the recording omits time, or is of a server, it is not a latency. */
    public String latency() {
        if (report.judged().what() == LedgerPart.REQUESTS) {
            return "Recorded";
        }
        boolean whole = failedChecks().stream().noneMatch(check -> LEAVING_TIME_OUT.contains(check.check()));
        return whole ? "End-to-end latency" : "Length of the timeline";
    }

    public String duration() {
        return Units.duration(report.window().durationNs());
    }

    public List<Part> breakdown() {
        return Part.ofRollup(report.rollup(), report.hasDeviceWork());
    }

    public boolean withheld() {
        return report.verdict().bound() == BoundVerdict.Bound.WITHHELD;
    }

    public List<TrustCheck> failedChecks() {
        return report.trust().stream().filter(check -> !check.passed()).toList();
    }

    /** Returns one sentence for each part of the report that is missing because InferScope failed. */
    public List<String> failures() {
        return report.failures().stream()
                .map(failure -> "InferScope failed at " + failure.part() + " (" + failure.problem()
                        + "): the report is without it.")
                .toList();
    }

    /** Returns the reasons of the verdict; when it is withheld, only reasons that no failed check already states. */
    public List<String> because() {
        if (!withheld()) {
            return report.verdict().because();
        }
        Set<String> remedies = failedChecks().stream().map(TrustCheck::remedy).collect(Collectors.toSet());
        return report.verdict().reasons().stream()
                .filter(reason -> reason.check() == null)
                .map(reason -> remedies.contains(reason.remedy()) ? Reason.figure(reason.detail()) : reason)
                .flatMap(Reason::sentences)
                .toList();
    }

    /** Returns whether the text of a withheld verdict already contains a failed check's finding. */
    public boolean says(TrustCheck check) {
        return withheld()
                && report.verdict().reasons().stream()
                        .limit(1)
                        .anyMatch(reason -> check.check().equals(reason.check()));
    }

    /**
     * Returns the finding to act on: of the most severe ones the first with a known gain, otherwise the first. If the
     * first costs far more than that gain, or is a standstill, it is still the one. Good states are left out.
     */
    public Optional<Finding> first() {
        return toActOn(report.findings());
    }

    /** Returns what the finding to act on is called: a note is a small loss, and nothing may be wrong. */
    public static String label(Finding finding) {
        return finding.severity() == Finding.Severity.INFO ? "Note" : "Wrong";
    }

    static Optional<Finding> toActOn(List<Finding> findings) {
        List<Finding> worst = findings.stream()
                .filter(finding -> finding.severity() != Finding.Severity.HEALTHY
                        && finding.severity() == findings.get(0).severity())
                .toList();
        if (!worst.isEmpty() && worst.get(0).rule().equals(Finding.HANG)) {
            return Optional.of(worst.get(0));
        }
        return worst.stream()
                .filter(finding -> gainShare(finding) * FAR_MORE >= worst.get(0).share())
                .findFirst()
                .or(() -> worst.stream().findFirst());
    }

    /** Returns the most that removing the cause saves, as a share of the finding's part; negative if unknown. */
    private static double gainShare(Finding finding) {
        Finding.Gain gain = finding.gain();
        return gain == null ? -1 : finding.share() * gain.highNs() / Math.max(1, finding.costNs());
    }

    /** Returns the ledger of the judged part. */
    public Optional<Ledger> ledger() {
        return report.ledgers().stream().findFirst();
    }

    /** Returns {@code the span of device 0}. */
    public String judged() {
        return "the " + report.judged().what().words() + " of "
                + report.judged().subject();
    }

    /** Returns head, span and tail of the window; empty without device work. */
    public List<Part> division() {
        return Stream.concat(
                        Stream.of(report.judged().subject()),
                        report.ledgers().stream().map(Ledger::subject))
                .distinct()
                .map(this::divisionOf)
                .filter(parts -> !parts.isEmpty())
                .findFirst()
                .or(() -> report.rows(Report.DEVICES).stream().findFirst().map(this::divisionBy))
                .orElse(List.of());
    }

    private List<Part> divisionOf(String subject) {
        List<Ledger> parts = report.ledgers().stream()
                .filter(ledger -> ledger.subject().equals(subject) && DIVISION.contains(ledger.part()))
                .toList();
        if (parts.stream().noneMatch(ledger -> ledger.part() == LedgerPart.SPAN)) {
            return List.of();
        }
        return Part.of(
                ids(),
                DIVISION.stream()
                        .map(part -> parts.stream()
                                .filter(ledger -> ledger.part() == part)
                                .mapToLong(Ledger::durationNs)
                                .sum())
                        .toList());
    }

    private static List<String> ids() {
        return DIVISION.stream().map(LedgerPart::id).toList();
    }

    private List<Part> divisionBy(DeviceFigures device) {
        long head = Math.max(0, device.firstNs() - report.window().startNs());
        long tail = Math.max(0, report.window().endNs() - device.lastNs());
        return Part.of(ids(), List.of(head, Math.max(0, device.spanNs()), tail));
    }

    /**
     * Returns whether a head or tail is so long that the span's verdict does not describe the window. A head counts
     * only if no earlier device work is missing.
     */
    public boolean looksAway(Part part) {
        return !part.id().equals(LedgerPart.SPAN.id())
                && (!part.id().equals(LedgerPart.HEAD.id())
                        || failedChecks().stream()
                                .noneMatch(check -> check.check().equals(HEAD_IS_KNOWN)))
                && part.ns() >= LOOK_HERE * Math.max(1, report.window().durationNs());
    }
}
