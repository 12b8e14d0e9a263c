package io.inferscope.cli.query;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.NativeModuleFigures;
import io.inferscope.analyzer.model.PathTables.PathPiece;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.analyzer.model.RequestTables;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.path.CriticalPath;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.cli.query.QueryRows.FindingRow;
import io.inferscope.cli.query.QueryRows.LedgerRow;
import io.inferscope.cli.query.QueryRows.RequestPartRow;
import io.inferscope.cli.query.QueryRows.StepRow;
import io.inferscope.formats.tables.ExtraTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The results of the analysis as SQL tables beside those of the recording. Their names and columns must not change:
 * docs/query.md.
 */
public record AnalysisTables(Analyzer analyzer, Supplier<Analysis> analysis) {
    /** What begins the names of the tables of the report, cut as there. */
    private static final String OF_REPORT = "report_";

    public List<ExtraTable> all() {
        List<ExtraTable> tables = new ArrayList<>(whole());
        for (TableId<?> id : Tables.all()) {
            if (id != ShapeTables.LOGGED_SHAPES) {
                tables.add(ofReport(id));
            }
        }
        return tables;
    }

    private <R extends Record & Row> ExtraTable ofReport(TableId<R> id) {
        String name = OF_REPORT + RowColumns.name(id.name()).replace('.', '_');
        return RowColumns.table(name, id.row(), List.of(), () -> tables().rows(id));
    }

    private List<ExtraTable> whole() {
        return List.of(
                RowColumns.table("ledger", LedgerRow.class, List.of(), this::ledgers),
                RowColumns.table(
                        "idle",
                        BlameFigures.class,
                        List.of("device", "part", "cause"),
                        () -> analysis.get().blameFigures()),
                RowColumns.table("steps", StepRow.class, List.of(), this::steps),
                RowColumns.table(
                        "critical_path",
                        PathPiece.class,
                        List.of(),
                        () -> CriticalPath.of(analysis.get()).pieces()),
                RowColumns.table("finding", FindingRow.class, List.of(), this::findings),
                RowColumns.table("request_part", RequestPartRow.class, List.of(), this::requestParts),
                RowColumns.table(
                        "sampled_line",
                        SampleFigures.class,
                        List.of(),
                        () -> tables().sampled().lines()),
                RowColumns.table(
                        "sampled_function",
                        SampleFigures.class,
                        List.of(),
                        () -> tables().sampled().functions()),
                RowColumns.table(
                        "native_module",
                        NativeModuleFigures.class,
                        List.of(),
                        () -> tables().rows(HostTables.NATIVE_MODULES)));
    }

    private Tables tables() {
        return Tables.of(analysis.get());
    }

    private List<LedgerRow> ledgers() {
        return analysis.get().ledgers().stream()
                .flatMap(ledger ->
                        ledger.entries().stream().map(entry -> new LedgerRow(ledger.subject(), ledger.part(), entry)))
                .toList();
    }

    private List<StepRow> steps() {
        return analysis.get().steps().stream().map(StepRow::new).toList();
    }

    private List<FindingRow> findings() {
        List<Finding> findings = analyzer.report(analysis.get(), "").findings();
        return IntStream.range(0, findings.size())
                .mapToObj(i -> new FindingRow(i + 1L, findings.get(i)))
                .toList();
    }

    private List<RequestPartRow> requestParts() {
        return tables().rows(RequestTables.REQUEST_TIME).stream()
                .flatMap(requests -> requests.parts().stream()
                        .map(part -> new RequestPartRow(requests.name(), requests.process(), requests.count(), part)))
                .toList();
    }
}
