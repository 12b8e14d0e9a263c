package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes.PathSize;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The tables of a report, the most important first. Empty ones are left out. */
public final class ReportTables {
    private ReportTables() {}

    /** The tables that people see in another form, with others made of the same rows. */
    private static final Map<TableId<?>, Function<Report, List<Table>>> OWN = Map.ofEntries(
            Map.entry(TableId.PHASES, report -> List.of(RowTable.of(report, TableId.PHASES, evidence(report)))),
            Map.entry(TableId.STEPS, LoopTables::of),
            Map.entry(TableId.REQUEST_TIME, RequestTimeTables::of),
            Map.entry(TableId.DEVICES, IdleTables::of),
            Map.entry(TableId.PATH_CLASSES, report -> List.of(RowTable.of(report, TableId.PATH_CLASSES, path(report)))),
            Map.entry(TableId.MACHINE, report -> List.of(MachineTable.of(report.rows(TableId.MACHINE)))),
            Map.entry(
                    TableId.SAMPLED_LINES,
                    report -> List.of(RowTable.of(report, TableId.SAMPLED_LINES).renamed("Place", "Line"))),
            Map.entry(
                    TableId.SAMPLED_FUNCTIONS,
                    report -> List.of(
                            RowTable.of(report, TableId.SAMPLED_FUNCTIONS).renamed("Place", "Function"))),
            Map.entry(TableId.SCOPES, DetailedWorkTables::annotations),
            Map.entry(TableId.MODULES, DetailedWorkTables::modules),
            Map.entry(TableId.GRAPHS, DetailedWorkTables::graphs),
            Map.entry(TableId.OPERATOR_SHAPES, DetailedWorkTables::operators),
            Map.entry(
                    TableId.LOGGED_SHAPES, report -> List.of(LoggedShapeTable.of(report.rows(TableId.LOGGED_SHAPES)))));

    /** Returns every table except that of the first ledger, which is part of the headline. */
    public static List<Table> afterHeadline(Report report) {
        List<Table> list = new ArrayList<>(
                report.ledgers().stream().skip(1).map(ReportTables::ledger).toList());
        for (TableId<?> id : TableId.all()) {
            Function<Report, List<Table>> own = OWN.get(id);
            list.addAll(own == null ? List.of(RowTable.of(report, id)) : own.apply(report));
        }
        list.addAll(RecordingTables.of(report));
        list.removeIf(table -> table.rows().isEmpty());
        return list;
    }

    private static String evidence(Report report) {
        return report.notesOnTables().steadyState();
    }

    private static String path(Report report) {
        PathSize path = report.notesOnTables().path();
        return path == null
                ? ""
                : "The longest chain of dependencies through the window: " + Units.duration(path.pathNs())
                        + ". Work on it delays the end when it takes longer; other work does so only once its slack is used up. Computed from "
                        + Units.count(path.dependencies()) + " dependencies of " + Units.count(path.instants())
                        + " instants; replaying them unchanged misses the recorded time by "
                        + Units.duration(path.replayErrorNs()) + ".";
    }

    public static Table ledger(Ledger ledger) {
        List<Part> parts = Part.ofLedger(ledger);
        List<Ledger.Entry> entries = ledger.entries();
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            rows.add(
                    List.of(part.label(), part.id(), Units.duration(part.ns()), part.percent(), basis(entries.get(i))));
        }
        return new Table(
                "Ledger of the " + ledger.what(),
                "Every nanosecond of " + Units.duration(ledger.durationNs()) + ", in one class each.",
                columns(texts("Class"), names("Id"), numbers("Time", "Share"), texts("Basis")),
                rows);
    }

    public static String basis(Ledger.Entry entry) {
        return basis(entry.estimated(), entry.boundNs());
    }

    /** Returns {@code measured}, or {@code estimated ± 1.2 ms}. */
    public static String basis(boolean estimated, long boundNs) {
        return estimated ? "estimated ± " + Units.duration(boundNs) : "measured";
    }
}
