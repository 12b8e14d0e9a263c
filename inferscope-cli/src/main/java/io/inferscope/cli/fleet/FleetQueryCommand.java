package io.inferscope.cli.fleet;

import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.query.AnswerOptions;
import io.inferscope.fleet.FleetTable;
import io.inferscope.fleet.SummarySets;
import io.inferscope.formats.duckdb.ParquetQueries;
import io.inferscope.report.AnswerPrinter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code fleet query}: asks the rows of many recordings in DuckDB's SQL. */
final class FleetQueryCommand extends Command {
    private static final String VARIABLE = "INFERSCOPE_DUCKDB";

    private final PositionalParamSpec folder =
            parameter(0, "DIR", Path.class, "The folder that `fleet build` or --summary wrote.");
    private final PositionalParamSpec sql = parameter(
            1,
            "SQL",
            String.class,
            "A SELECT of DuckDB's dialect. Tables: trace, ledger, blame, finding, metric, step.");
    private final OptionSpec driver = option(
            "--duckdb=JAR",
            Path.class,
            "DuckDB's JDBC driver, which is no part of InferScope (docs/fleet.md says how to get it); default: the file"
                    + " that " + VARIABLE + " names.");
    private final AnswerOptions answers = new AnswerOptions(spec);

    FleetQueryCommand() {
        super("query", "Query the rows of many recordings with SQL.");
        help(
                List.of(
                        "inferscope fleet query fleet/ 'select service, sum(ns) from ledger join trace using (trace_id) group by all'"));
    }

    @Override
    public Integer call() throws IOException {
        AnswerPrinter printer = answers.printer(true);
        Path dir = FleetReportCommand.withRows(folder);
        String named = Objects.requireNonNullElse(System.getenv(VARIABLE), "");
        if (driver.getValue() == null && named.isEmpty()) {
            throw misuse("DuckDB is no part of InferScope: name its JDBC driver with --duckdb or " + VARIABLE
                    + "; mvn dependency:copy -Dartifact=org.duckdb:duckdb_jdbc:1.4.1.0 -DoutputDirectory=. fetches it");
        }
        Path jar = driver.getValue() == null ? Path.of(named) : driver.getValue();
        List<String> tables =
                Arrays.stream(FleetTable.values()).map(HasStableId::id).toList();
        try (ParquetQueries queries = ParquetQueries.open(jar, dir, SummarySets.SETS, tables)) {
            queries.run(sql.getValue(), AnswerOptions.answer(printer));
        } catch (IllegalArgumentException e) {
            throw misuse("the query fails: " + e.getMessage());
        }
        printer.finish();
        return 0;
    }
}
