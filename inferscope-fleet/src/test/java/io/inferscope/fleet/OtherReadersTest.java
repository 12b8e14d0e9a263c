package io.inferscope.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.formats.duckdb.ParquetQueries;
import io.inferscope.formats.sqlite.TimelineQueries.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * DuckDB and pandas read the rows, and say what Java says. DuckDB's driver is the file that INFERSCOPE_TEST_DUCKDB names, the
 * Python with the packages the one that INFERSCOPE_TEST_FLEET_PYTHON names.
 */
class OtherReadersTest {
    private static final List<String> TABLES =
            Arrays.stream(FleetTable.values()).map(HasStableId::id).toList();

    @TempDir
    Path folder;

    private Path rows;

    @BeforeEach
    void write() throws Exception {
        rows = folder.resolve("rows");
        List<RecordingRows> summaries = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Path trace = Traces.write(folder.resolve(i + ".json"), 1_790_000_000_000_000_000L, 5 + 4 * i, "op");
            Origin origin = new Origin("id" + i, "1", i + ".json", Map.of("service", "s" + i % 2));
            summaries.add(FleetBuild.summary(trace, origin, new Analyzer()));
        }
        summaries.add(RecordingRows.failed(new Origin("f", "1", "bad", Map.of()), "broken"));
        SummarySets sets = new SummarySets(rows);
        sets.write(summaries.subList(0, 2));
        sets.write(summaries.subList(2, 6));
    }

    @Test
    void duckdbAnswersAsJavaCounts() throws Exception {
        List<List<Object>> answer = ask("select service, sum(case when busy = 0 then ns else 0 end) as idle, sum(ns)"
                + " from ledger join trace using (trace_id)"
                + " where device is not null and part = 'window' and trust = 'ok' group by service order by service");
        FleetFigures figures = new FleetFigures(new SummarySets(rows));
        List<List<Object>> expected = new ArrayList<>();
        figures.idle(FleetFigures.Device::service)
                .forEach((service, share) -> expected.add(List.of(service, share.part(), share.whole())));
        assertThat(answer).isEqualTo(expected);
        for (FleetTable table : FleetTable.values()) {
            long count = SummarySetsTest.rows(new SummarySets(rows), table, "trace_id")
                    .size();
            assertThat(ask("select count(*) from " + table.id())).as(table.id()).isEqualTo(List.of(List.of(count)));
        }
        assertThat(ask("select avg(value) < 1e300, 'a''b' from metric where name = 'idle.share'"))
                .isEqualTo(List.of(List.of(true, "a'b")));
    }

    /** Each of these would read or write a file, reach the network, or free what is locked. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from read_text('/etc/passwd')",
                "select * from read_csv('/etc/passwd')",
                "select * from '/etc/passwd'",
                "select * from read_text('ROWS/../0.json')",
                "select * from glob('/etc/*')",
                "select * from read_parquet('http://127.0.0.1:9/a.parquet')",
                "copy (select 1) to 'ROWS/out.csv'",
                "copy trace to '/tmp/out.csv'",
                "select 1; copy trace to 'ROWS/out.csv'",
                "select $$;$$; copy trace to 'ROWS/out.csv'",
                "select e'\\'; copy trace to \\'ROWS/out.csv\\'; --'; copy trace to 'ROWS/out.csv'",
                "/* a /* b */ select 1; */ copy trace to 'ROWS/out.csv'",
                "with a as (select 1) insert into trace select * from a",
                "explain analyze copy trace to 'ROWS/out.csv'",
                "attach 'ROWS/x.db' as x",
                "export database 'ROWS/dump'",
                "install httpfs",
                "load httpfs",
                "set enable_external_access=true",
                "reset lock_configuration",
                "create table a as select 1",
                "select * from query('copy trace to ''ROWS/out.csv''')",
                "select getenv('HOME')",
                "",
            })
    void attacksAreRefused(String sql) throws Exception {
        driver();
        List<String> before = names();
        assertThatThrownBy(() -> ask(sql.replace("ROWS", rows.toString())))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(names()).isEqualTo(before);
    }

    @Test
    void aDriverThatOthersCanChangeOrThatIsNoneIsNotLoaded() throws Exception {
        Path jar = Files.createFile(folder.resolve("driver.jar"));
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThatThrownBy(() -> ParquetQueries.open(jar, rows, SummarySets.SETS, TABLES))
                .hasMessageContaining("other users can write to it");
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> ParquetQueries.open(jar, rows, SummarySets.SETS, TABLES))
                .hasMessageContaining("no driver of DuckDB");
        assertThatThrownBy(() -> ParquetQueries.open(folder.resolve("none"), rows, SummarySets.SETS, TABLES))
                .hasMessageContaining("no such file");
        Path odd = Files.createDirectory(folder.resolve("a[b]"));
        assertThatThrownBy(() -> ParquetQueries.open(jar, odd, SummarySets.SETS, TABLES))
                .hasMessageContaining("rename the folder");
    }

    @Test
    @Tag("process")
    void pandasAndDuckdbForPythonReadTheRows() throws Exception {
        String python = Objects.requireNonNullElse(System.getenv("INFERSCOPE_TEST_FLEET_PYTHON"), "python3");
        String imports = "import duckdb, glob, pandas, pyarrow, sys";
        assumeTrue(run(python, imports).isEmpty(), python + " lacks duckdb, pandas or pyarrow");
        String script = imports + "\nd = sys.argv[1]\n"
                + "for t in '" + String.join(" ", TABLES) + "'.split():\n"
                + "    files = sorted(glob.glob(f'{d}/set-*/{t}.parquet'))\n"
                + "    frame = pandas.concat([pandas.read_parquet(file) for file in files])\n"
                + "    rows = duckdb.sql(f\"select count(*) from read_parquet('{d}/set-*/{t}.parquet')\").fetchall()[0][0]\n"
                + "    print(t, len(frame), rows, int(frame['ns'].sum()) if 'ns' in frame else 0)\n";
        List<String> expected = new ArrayList<>();
        for (FleetTable table : FleetTable.values()) {
            boolean timed =
                    table.columns().stream().anyMatch(column -> column.name().equals("ns"));
            List<List<Object>> all =
                    SummarySetsTest.rows(new SummarySets(rows), table, timed ? "trace_id ns" : "trace_id");
            long sumNs =
                    timed ? all.stream().mapToLong(row -> (Long) row.get(1)).sum() : 0;
            expected.add(table.id() + " " + all.size() + " " + all.size() + " " + sumNs);
        }
        assertThat(run(python, script).lines().toList()).isEqualTo(expected);
    }

    private String run(String python, String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(python, "-c", script, rows.toString())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(1, TimeUnit.MINUTES);
        return out;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(Path::toString).sorted().toList();
        }
    }

    private static Path driver() {
        String driver = System.getenv("INFERSCOPE_TEST_DUCKDB");
        assumeTrue(driver != null, "INFERSCOPE_TEST_DUCKDB names no driver of DuckDB");
        return Path.of(driver);
    }

    private List<List<Object>> ask(String sql) throws IOException {
        Path driver = driver();
        List<List<Object>> answer = new ArrayList<>();
        try (ParquetQueries queries = ParquetQueries.open(driver, rows, SummarySets.SETS, TABLES)) {
            queries.run(sql, new Answer() {
                @Override
                public void columns(List<String> names) {}

                @Override
                public boolean row(List<Object> values) {
                    answer.add(values);
                    return true;
                }
            });
        }
        return answer;
    }
}
