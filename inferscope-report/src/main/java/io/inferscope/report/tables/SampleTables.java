package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.name;
import static io.inferscope.report.tables.Table.number;
import static io.inferscope.report.tables.Table.words;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.analyzer.model.Units;
import java.util.List;

/** Tables about stack samples: where in the code the time went. */
final class SampleTables {
    private SampleTables() {}

    static List<Table> of(Report report) {
        return List.of(
                table(
                        "Hottest lines",
                        "Stack samples of all threads by the innermost line of the program's own code. Self is time in the line and in"
                                + " library code that it calls; total is every sample with the line on its stack. Stacks of library code alone are in the next table only.",
                        "Line",
                        report.sampledLines()),
                table(
                        "Hottest functions",
                        "The same samples by the function that ran. Self is time in the function, total includes what it calls.",
                        "Function",
                        report.sampledFunctions()));
    }

    private static Table table(String title, String intro, String place, List<SampleFigures> figures) {
        return new Table(
                title,
                intro,
                List.of(
                        name(place),
                        words("Class"),
                        number("Samples"),
                        number("Self"),
                        number("Off by at most"),
                        number("Total")),
                figures.stream()
                        .map(f -> List.of(
                                f.place(),
                                f.ledgerClass().label(),
                                Units.count(f.samples()),
                                Units.duration(f.selfNs()),
                                "± " + Units.duration(f.boundNs()),
                                Units.duration(f.totalNs())))
                        .toList());
    }
}
