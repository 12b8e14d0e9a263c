package io.inferscope.cli.query;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.HostTables.NativeModuleFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.PathTables.PathPiece;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.path.CriticalPath;
import io.inferscope.analyzer.tables.SampledCode;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.formats.tables.Column;
import io.inferscope.formats.tables.ExtraTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The results of the analysis as SQL tables beside those of the recording. Their names and columns must not change:
 * docs/query.md.
 */
public record AnalysisTables(Supplier<Analysis> analysis) {
    public List<ExtraTable> all() {
        return List.of(
                new ExtraTable(
                        "ledger",
                        Column.list("subject part class duration_ns# basis error_bound_ns#"),
                        () -> rows(analysis.get().ledgers(), this::ledger)),
                RowColumns.table(
                        "idle",
                        BlameFigures.class,
                        List.of("device", "part", "cause"),
                        () -> analysis.get().blameFigures()),
                new ExtraTable(
                        "steps",
                        Column.list("name kind phase start_ns# duration_ns#"),
                        () -> rows(
                                analysis.get().steps(),
                                (s, rows) -> rows.add(row(
                                        s.name(),
                                        s.kind(),
                                        s.phase() == null ? "" : s.phase().id(),
                                        s.startNs(),
                                        s.durationNs())))),
                RowColumns.table(
                        "critical_path",
                        PathPiece.class,
                        List.of(),
                        () -> CriticalPath.of(analysis.get()).pieces()),
                new ExtraTable(
                        "finding",
                        Column.list(
                                "number# rule severity claim duration_ns# of place advice gain_low_ns# gain_high_ns#"),
                        this::findings),
                new ExtraTable(
                        "request_part",
                        Column.list("name process requests# part duration_ns#"),
                        () -> rows(Tables.of(analysis.get()).steps().requests(), this::requestParts)),
                RowColumns.table(
                        "sampled_line",
                        SampleFigures.class,
                        List.of(),
                        () -> sampled().lines()),
                RowColumns.table(
                        "sampled_function",
                        SampleFigures.class,
                        List.of(),
                        () -> sampled().functions()),
                RowColumns.table(
                        "native_module",
                        NativeModuleFigures.class,
                        List.of(),
                        () -> Tables.of(analysis.get()).host().nativeModules()));
    }

    private SampledCode sampled() {
        return Tables.of(analysis.get()).sampled();
    }

    private List<List<@Nullable Object>> findings() {
        List<Finding> findings = new Analyzer().report(analysis.get(), "").findings();
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < findings.size(); i++) {
            Finding finding = findings.get(i);
            Finding.Gain gain = finding.gain();
            rows.add(row(
                    i + 1L,
                    finding.rule(),
                    finding.severity().id(),
                    finding.claim(),
                    finding.costNs(),
                    finding.of(),
                    finding.places().stream().findFirst().orElse(""),
                    finding.advice(),
                    gain == null ? "" : gain.lowNs(),
                    gain == null ? "" : gain.highNs()));
        }
        return rows;
    }

    private void requestParts(RequestTime requests, List<List<@Nullable Object>> rows) {
        requests.parts()
                .forEach(part ->
                        rows.add(row(requests.name(), requests.process(), requests.count(), part.part(), part.ns())));
    }

    private void ledger(Ledger ledger, List<List<@Nullable Object>> rows) {
        for (Ledger.Entry entry : ledger.entries()) {
            rows.add(row(
                    ledger.subject(),
                    ledger.part().id(),
                    entry.ledgerClass().id(),
                    entry.ns(),
                    entry.basis(),
                    entry.boundNs()));
        }
    }

    /** Adds rows to a table. */
    private interface Adder<T> {
        void add(T thing, List<List<@Nullable Object>> rows);
    }

    private static <T> List<List<@Nullable Object>> rows(List<T> things, Adder<T> adder) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        things.forEach(thing -> adder.add(thing, rows));
        return rows;
    }

    private static List<@Nullable Object> row(Object... values) {
        return Arrays.stream(values)
                .<@Nullable Object>map(value -> value.equals("") ? null : value)
                .toList();
    }
}
