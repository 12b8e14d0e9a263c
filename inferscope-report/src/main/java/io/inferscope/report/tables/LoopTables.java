package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.name;
import static io.inferscope.report.tables.Table.number;
import static io.inferscope.report.tables.Table.words;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.List;

/** Tables about phases, recurring steps, the largest gaps and where requests' time went. Points in time count from the window's start. */
final class LoopTables {
    private LoopTables() {}

    static List<Table> of(Report report) {
        StepTables steps = report.steps();
        long zeroNs = report.window().startNs();
        return List.of(
                phases(steps, zeroNs),
                steps(steps),
                causes(report),
                gaps(steps, zeroNs),
                operators(steps),
                RequestTimeTables.parts(steps.requests()),
                RequestTimeTables.tokens(steps.requests()));
    }

    private static Table phases(StepTables steps, long zeroNs) {
        return new Table(
                "Phases",
                steps.evidence(),
                List.of(
                        words("Phase"),
                        number("From"),
                        number("Time"),
                        words("Known by"),
                        words("Most of it"),
                        number("Share")),
                steps.phases().stream()
                        .map(phase -> List.of(
                                phase.kind().id(),
                                Units.point(phase.stretch().startNs() - zeroNs),
                                Units.duration(phase.stretch().durationNs()),
                                phase.evidence(),
                                mostLabel(phase.ledger()),
                                mostShare(phase.ledger())))
                        .toList());
    }

    private static String mostLabel(Ledger ledger) {
        return ledger.entries().isEmpty()
                ? ""
                : ledger.entries().get(0).ledgerClass().label();
    }

    private static String mostShare(Ledger ledger) {
        return ledger.entries().isEmpty()
                ? ""
                : Units.percent(ledger.share(ledger.entries().get(0).ns()));
    }

    private static Table steps(StepTables steps) {
        return new Table(
                "Steps",
                steps.phases().isEmpty() ? steps.evidence() : "Those of the steady state.",
                List.of(
                        name("Step"),
                        words("Kind"),
                        words("Known by"),
                        number("Count"),
                        number("Median"),
                        number("p95"),
                        number("Longest"),
                        number("GPU busy, median"),
                        number("GPU idle, median")),
                steps.steps().stream()
                        .map(step -> List.of(
                                step.name(),
                                step.kind(),
                                step.source(),
                                Units.count(step.count()),
                                Units.duration(step.medianNs()),
                                Units.duration(step.p95Ns()),
                                Units.duration(step.maxNs()),
                                Units.durationIfRecorded(step.medianBusyNs()),
                                Units.durationIfRecorded(step.medianIdleNs())))
                        .toList());
    }

    private static Table causes(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StepFigures step : report.steps().steps()) {
            for (StepCause cause : step.causes()) {
                rows.add(List.of(
                        step.name(),
                        step.kind(),
                        cause.cause().label(),
                        Units.duration(cause.medianNs()),
                        Units.duration(cause.totalNs()),
                        place(cause),
                        Units.percent((double) cause.placeNs() / cause.totalNs()),
                        cause.thread()));
            }
        }
        return new Table(
                report.hasDeviceWork() ? "What each step's GPU waits for" : "Where each step's time goes",
                "The place is the one with most of the cause's time; its share is of that cause.",
                List.of(
                        name("Step"),
                        words("Kind"),
                        words("Cause"),
                        number("Per step, median"),
                        number("All steps"),
                        name("Place"),
                        number("Share"),
                        name("Thread")),
                rows);
    }

    private static String place(StepCause cause) {
        boolean one = cause.where().isEmpty() || cause.activity().isEmpty();
        return one ? cause.where() + cause.activity() : cause.where() + " > " + cause.activity();
    }

    private static Table gaps(StepTables steps, long zeroNs) {
        return new Table(
                "Largest idle gaps",
                "One by one, from the start of the window on; the cause is that of most of the gap. Gaps below 1 us are left out: a launch alone takes longer.",
                List.of(
                        number("From"),
                        number("Idle"),
                        words("Part"),
                        words("Cause"),
                        name("Activity"),
                        name("Line"),
                        name("Thread")),
                steps.gaps().stream()
                        .map(gap -> List.of(
                                Units.point(gap.stretch().startNs() - zeroNs),
                                Units.duration(gap.stretch().durationNs()),
                                gap.phase(),
                                gap.cause().label(),
                                gap.activity(),
                                gap.where(),
                                gap.thread()))
                        .toList());
    }

    private static Table operators(StepTables steps) {
        return new Table(
                "Idle time by operator",
                "The innermost framework operator around what the GPU waited for.",
                List.of(name("Operator"), words("Most of it"), number("Idle")),
                steps.operators().stream()
                        .map(operator ->
                                List.of(operator.name(), operator.cause().label(), Units.duration(operator.ns())))
                        .toList());
    }
}
