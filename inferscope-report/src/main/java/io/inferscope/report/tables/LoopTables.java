package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.List;

/** Tables about recurring steps. */
final class LoopTables {
    private LoopTables() {}

    static List<Table> of(Report report) {
        boolean steady = !report.rows(TableId.PHASES).isEmpty();
        String intro =
                steady ? "Those of the steady state." : report.notesOnTables().steadyState();
        return List.of(RowTable.of(report, TableId.STEPS, intro), causes(report));
    }

    private static Table causes(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StepFigures step : report.rows(TableId.STEPS)) {
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
