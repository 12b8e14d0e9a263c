package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.List;

/**
 * Tables about phases, recurring steps, the largest gaps and requests' time by part. Points in time count from the
 * window's start.
 */
final class LoopTables {
    private LoopTables() {}

    static List<Table> of(Report report) {
        StepTables steps = report.steps();
        long zeroNs = report.window().startNs();
        return List.of(
                RowTable.of("Phases", steps.evidence(), steps.phases(), zeroNs, 0),
                RowTable.of(
                        "Steps",
                        steps.phases().isEmpty() ? steps.evidence() : "Those of the steady state.",
                        steps.steps()),
                causes(report),
                RowTable.of(
                        "Largest idle gaps",
                        "One by one, from the start of the window on; the cause is that of most of the gap. Gaps below 1 us are left out: a launch alone takes longer.",
                        steps.gaps(),
                        zeroNs,
                        0),
                RowTable.of(
                        "Idle time by operator",
                        "The innermost framework operator around what the GPU waited for.",
                        steps.operators()),
                RequestTimeTables.parts(steps.requests()),
                RequestTimeTables.tokens(steps.requests()));
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
                columns(
                        names("Step"),
                        texts("Kind", "Cause"),
                        numbers("Per step, median", "All steps"),
                        names("Place"),
                        numbers("Share"),
                        names("Thread")),
                rows);
    }

    private static String place(StepCause cause) {
        boolean one = cause.where().isEmpty() || cause.activity().isEmpty();
        return one ? cause.where() + cause.activity() : cause.where() + " > " + cause.activity();
    }
}
