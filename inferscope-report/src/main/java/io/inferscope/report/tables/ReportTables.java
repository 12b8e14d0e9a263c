package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.Part;
import java.util.ArrayList;
import java.util.List;

/** The tables of a report, the most important first. Empty ones are left out. */
public final class ReportTables {
    private ReportTables() {}

    /** Returns every table except that of the first ledger, which is part of the headline. */
    public static List<Table> afterHeadline(Report report) {
        List<Table> list = new ArrayList<>(
                report.ledgers().stream().skip(1).map(ReportTables::ledger).toList());
        list.addAll(LoopTables.of(report));
        list.addAll(IdleTables.of(report));
        list.addAll(PathReportTables.of(report));
        list.addAll(HostTimeTables.of(report));
        list.addAll(samples(report));
        list.addAll(WorkTables.of(report));
        list.addAll(DeviceWorkTables.of(report));
        list.addAll(RecordingTables.of(report));
        list.removeIf(table -> table.rows().isEmpty());
        return list;
    }

    /** Returns the tables of the time by place in the code. */
    private static List<Table> samples(Report report) {
        return List.of(
                RowTable.of(
                                "Hottest lines",
                                "Stack samples of all threads by the innermost line of the program's own code. Self is time in the line and in"
                                        + " library code that it calls; total is every sample with the line on its stack. Stacks of library code alone are in the next table only.",
                                report.sampledLines())
                        .renamed("Place", "Line"),
                RowTable.of(
                                "Hottest functions",
                                "The same samples by the function that ran. Self is time in the function, total includes what it calls.",
                                report.sampledFunctions())
                        .renamed("Place", "Function"),
                RowTable.of(
                        "Hottest libraries",
                        "The samples taken in native code, without waits, by process and library or executable. A build id names the very file for a debugger or a symbol server.",
                        report.host().nativeModules()));
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
