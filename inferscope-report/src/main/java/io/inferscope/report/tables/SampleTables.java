package io.inferscope.report.tables;

import io.inferscope.analyzer.model.Report;
import java.util.List;

/** Tables about stack samples: the time by place in the code. */
final class SampleTables {
    private SampleTables() {}

    static List<Table> of(Report report) {
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
                        .renamed("Place", "Function"));
    }
}
