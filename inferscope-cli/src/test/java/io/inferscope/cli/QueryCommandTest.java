package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.cli.common.Failures;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import io.inferscope.timeline.kineto.KinetoExporter;
import io.inferscope.timeline.kineto.KinetoImporter;
import io.inferscope.timeline.load.Importers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class QueryCommandTest {
    private static final String TRACE = """
            {"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
            {"ph": "X", "cat": "cpu_op", "name": "aten::mul, \\"\\u001b[31m\\"", "pid": 1, "tid": 1, "ts": 5, "dur": 1},
            {"ph": "X", "cat": "python_function", "name": "serve.py(3): f", "pid": 1, "tid": 1, "ts": 0, "dur": 9}]}
            """;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private String trace = "";

    @BeforeEach
    void writeTrace() throws Exception {
        trace = Files.writeString(folder.resolve("x.json"), TRACE).toString();
    }

    @Test
    void rowsArePrintedAsATable() {
        assertThat(execute(trace, "SELECT name, duration_ns AS ns FROM operator ORDER BY start_ns"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "name                       ns",
                        "-----------------------  ----",
                        "aten::add                2000",
                        "aten::mul, \"\\u{1b}[31m\"  1000");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void theFileOfGraphCapturesIsNamedAndItsRowsAreNotCounted() throws Exception {
        Path both = folder.resolve("both.json");
        KinetoExporter.write(
                TimelineFixture.blank()
                        .captured(RowKind.OPERATOR, "7", -900, -800, "aten::mm")
                        .operator("7", 0, 10, "aten::relu")
                        .property(TimelineInfo.CAPTURES, "capture.json")
                        .build(),
                both);

        assertThat(execute(both.toString(), "SELECT count(*) AS n FROM operator"))
                .isZero();
        assertThat(out.toString().lines()).containsExactly("n", "-", "1");
        assertThat(err.toString()).contains("the graph captures of capture.json are in no table");
    }

    @Test
    void rowsThatAreNotPrintedAreCounted() {
        assertThat(execute(trace, "SELECT row FROM events", "--max-rows", "1")).isZero();
        assertThat(out.toString().lines()).containsExactly("row", "---", "  0", "... 2 more rows");
    }

    @Test
    void csvHoldsEveryRowAndNothingThatIsObeyed() {
        assertThat(execute(trace, "--format", "csv", "SELECT name, NULL AS no FROM operator ORDER BY row"))
                .isZero();
        assertThat(out).hasToString("name,no\r\naten::add,\r\n\"aten::mul, \"\"\\u{1b}[31m\"\"\",\r\n");
    }

    @Test
    void aCellThatASpreadsheetWouldComputeIsText() {
        assertThat(execute(
                        trace,
                        "--format",
                        "csv",
                        "SELECT '=cmd|calc' AS a, '@x' AS b, 'a\nb' AS c, -1 AS d, '-1' AS e"))
                .isZero();
        assertThat(out).hasToString("a,b,c,d,e\r\n'=cmd|calc,'@x,\"a\nb\",-1,'-1\r\n");
    }

    @Test
    void jsonHoldsAnObjectPerRow() throws Exception {
        assertThat(execute(trace, "SELECT row, name, 0.5 AS half, NULL AS no FROM operator", "--format", "json"))
                .isZero();
        try (JsonParser parser = new JsonFactory().createParser(out.toString())) {
            int tokens = 0;
            while (parser.nextToken() != null) {
                tokens++;
            }
            assertThat(tokens).isEqualTo(2 + 2 * (2 + 2 * 4));
        }
        assertThat(out.toString()).contains("\"half\" : 0.5,\"no\" : null").contains("\\u001B");
    }

    @Test
    void membersOfOneNameAreToldApartInJson() {
        assertThat(execute(trace, "SELECT 1 AS n, 2 AS n, 3 AS n_2", "--format", "json"))
                .isZero();
        assertThat(out.toString()).contains("\"n\" : 1,\"n_2\" : 2,\"n_2_2\" : 3");
    }

    @Test
    void withoutAQueryTheTablesAreListed() {
        assertThat(execute(trace)).isZero();
        assertThat(out.toString().lines())
                .anyMatch(line -> line.matches("operator +2  row name start_ns .*"))
                .anyMatch(line -> line.matches("ledger +\\d+  subject part class .*"))
                .noneMatch(line -> line.startsWith("kernel"));
    }

    @Test
    void aFileThatIsCalledLikeAQueryIsATrace() throws Exception {
        Path values = Files.createTempFile(Path.of(""), "values.", ".json");
        try {
            Files.writeString(values, TRACE);
            assertThat(execute(String.valueOf(values.getFileName()))).isZero();
        } finally {
            Files.delete(values);
        }
        assertThat(out.toString()).contains("operator");
    }

    @Tag("traces")
    @Test
    void whatTheAnalysisFindsCanBeAsked() {
        String real = SharedTraces.kineto("h100-bert-small").toString();

        assertThat(
                        execute(
                                real,
                                "SELECT part, sum(duration_ns) - (SELECT sum(duration_ns) FROM ledger l2 WHERE l2.part = 'span' AND l2.class"
                                        + " NOT LIKE 'gpu.%' AND l2.class NOT LIKE 'copy.%') AS apart FROM idle WHERE part = 'span'"))
                .isZero();
        assertThat(out.toString().lines().skip(2)).containsExactly("span      0");
        assertThat(err.toString()).isEmpty();
    }

    @Tag("traces")
    @Test
    void findingsCanBeAsked() {
        String real = SharedTraces.kineto("h100-bert-small").toString();

        assertThat(execute(
                        real,
                        "SELECT number, rule, severity, gain_low_ns > 0 AS gains, duration_ns BETWEEN 2900000 AND 3000000 AS"
                                + " costs FROM finding WHERE rule = 'launch-bound' AND place LIKE '%modeling_bert.py:364%'",
                        "--format",
                        "csv"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly("number,rule,severity,gains,costs", "1,launch-bound,critical,1,1");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aRecordingWithoutRequestsHasNoPartsOfThem() {
        assertThat(execute(
                        trace,
                        "SELECT name, process, requests, part, duration_ns FROM request_part",
                        "--format",
                        "csv"))
                .isZero();
        assertThat(out.toString().lines()).containsExactly("name,process,requests,part,duration_ns");
    }

    @Test
    void sampledCodeIsAskedWithTheNativeFunctionsBeneathIt() throws Exception {
        Path sampled = folder.resolve("sampled.json");
        KinetoExporter.write(
                TimelineFixture.blank()
                        .sample("main", 0, 70, "a.py(7): step", "lzma_encode [liblzma.so.5]")
                        .sample("main", 70, 100, "a.py(7): step", "a.py(9): pack")
                        .property("process.1.module.liblzma.so.5.path", "/lib/liblzma.so.5")
                        .build(),
                sampled);

        assertThat(execute(
                        sampled.toString(),
                        "SELECT place, class, samples, self_ns, total_ns, callers, beneath FROM sampled_line",
                        "--format",
                        "csv"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "place,class,samples,self_ns,total_ns,callers,beneath",
                        "a.py:7 step,cpu.native,1,70000,100000,,lzma_encode [liblzma.so.5] 100.0%",
                        "a.py:9 pack,cpu.python,1,30000,30000,a.py:7 step 100.0%,");
        out.getBuffer().setLength(0);

        assertThat(execute(sampled.toString(), "SELECT place, self_ns FROM sampled_function", "--format", "csv"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly("place,self_ns", "lzma_encode [liblzma.so.5],70000", "a.py: pack,30000");
        out.getBuffer().setLength(0);

        assertThat(execute(sampled.toString(), "SELECT module, self_ns, path FROM native_module", "--format", "csv"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly("module,self_ns,path", "liblzma.so.5,70000,/lib/liblzma.so.5");
    }

    @Tag("traces")
    @Test
    void eachTableOfTheReportIsOneForQueries() throws Exception {
        String real = SharedTraces.kineto("h100-timesformer").toString();
        Report report =
                new Analyzer().analyze(new Importers(List.of(new KinetoImporter())).load(Path.of(real)), "timesformer");

        assertThat(execute(real)).isZero();
        for (TableId<?> id : Tables.all()) {
            String name = "report_"
                    + id.name().replaceAll("([A-Z])", "_$1").replace('.', '_').toLowerCase(Locale.ROOT);
            int rows = report.rows(id).size();
            assertThat(out.toString().lines().filter(line -> line.startsWith(name + " ")))
                    .as(name)
                    .hasSize(rows == 0 ? 0 : 1)
                    .allMatch(line -> line.matches(name + " +" + rows + " .*"));
        }
        out.getBuffer().setLength(0);
        assertThat(execute(
                        real,
                        "SELECT id, typeof(share), operations -> '$.compute' AS kernels FROM report_devices, report_kernel_categories"
                                + " LIMIT 1",
                        "--format",
                        "csv"))
                .isZero();
        assertThat(out.toString().lines()).containsExactly("id,typeof(share),kernels", "0,real,446");
    }

    @Tag("traces")
    @Test
    void whereTheRecordingCannotCarryTheAnalysisItIsSaid() {
        String real = SharedTraces.kineto("mi300-sglang-decode-graph").toString();

        assertThat(execute(real, "SELECT count(*) FROM idle")).isZero();
        assertThat(err.toString()).contains("inferscope: trust: ");
    }

    @Test
    void aQueryThatFailsIsAUsageErrorInOneLine() {
        assertThat(execute(trace, "SELECT * FROM kernle")).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines())
                .hasSize(1)
                .allMatch(
                        line -> line.contains(
                                "the query fails: no such table: kernle (did you mean 'kernel'?); `inferscope query TRACE` lists"));
        assertThat(execute(trace, "SELECT kind FROM kernel")).isEqualTo(2);
        assertThat(err.toString()).contains("no such column: kind (a column of events); ");
    }

    @Test
    void whatIsAskedForMustBeUnderstood() {
        assertThat(execute("SELECT 1")).isEqualTo(2);
        assertThat(execute(trace, "SELECT 1", "--format", "xml")).isEqualTo(2);
        assertThat(execute(trace, "SELECT 1", "--max-rows", "-1")).isEqualTo(2);
        assertThat(err.toString())
                .contains("name a trace before the query")
                .contains("--format xml: expected table, csv, json")
                .contains("--max-rows -1: expected 0 or more");
    }

    @Test
    void aTraceThatIsNotThereIsNotRead() {
        assertThat(execute(folder.resolve("no.json").toString(), "SELECT 1")).isEqualTo(3);
        assertThat(err.toString()).contains("no such file");
    }

    @Tag("process")
    @Test
    @EnabledOnOs(OS.LINUX)
    void aTemporaryFolderThatIsNoneIsNamedBeforeTheTraceIsRead() throws Exception {
        Path file = Files.createFile(folder.resolve("tmp"));
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        ProcessBuilder builder = inferscope.builder("query", "no.json", "SELECT 1");
        builder.environment().put("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + file);

        InferScopeProcess.Result result = inferscope.await(builder.start());

        // What the JVM says itself: that it has the option and, from JDK 20 on, that there is no such folder.
        assertThat(result.stderr().lines().filter(line -> !line.matches("(NOTE|WARNING: java.io.tmpdir).*")))
                .containsExactly("inferscope: cannot write: temporary folder " + file
                        + ": Not a directory; TMPDIR=FOLDER names another one");
        assertThat(result.exitCode()).isEqualTo(Failures.ENVIRONMENT);
    }

    @Tag("process")
    @Test
    @EnabledOnOs(OS.LINUX)
    void anAnswerThatThereIsNoRoomToSortNamesTheTemporaryFolder() throws Exception {
        InferScopeProcess.Result result = new InferScopeProcess(folder, "bash", "-c", "ulimit -f 8192; \"$@\"", "bash")
                .run(
                        "query",
                        trace,
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400000)"
                                + " SELECT i, hex(randomblob(20)) AS x FROM n ORDER BY x");

        assertThat(result.stderr())
                .startsWith("inferscope: cannot write: temporary folder " + System.getProperty("java.io.tmpdir")
                        + ": the answer cannot be sorted in it: ")
                .endsWith("; TMPDIR=FOLDER names another one\n")
                .hasLineCount(1);
        assertThat(result.exitCode()).isEqualTo(Failures.ENVIRONMENT);
    }

    @Tag("traces")
    @Test
    void theExamplesOfTheManualRun() throws Exception {
        String manual = Files.readString(Path.of("..", "docs", "query.md"));
        List<String> examples = Pattern.compile("```sql\\n(.*?)```", Pattern.DOTALL)
                .matcher(manual)
                .results()
                .map(match -> match.group(1))
                .toList();
        for (String example : examples) {
            out.getBuffer().setLength(0);
            String real = SharedTraces.kineto(smallestWithRowsFor(example)).toString();
            assertThat(execute(real, example, "--format", "csv")).as(example).isZero();
            assertThat(out.toString().lines()).as(example).hasSizeGreaterThan(1);
            if (example.contains("longest")) {
                assertThat(out.toString().lines().skip(1).map(line -> Integer.parseInt(line.split(",", -1)[2])))
                        .as(example)
                        .contains(288, 22, 10)
                        .allMatch(length -> length <= 288);
            }
        }
        assertThat(examples).hasSizeGreaterThan(4);
    }

    private static String smallestWithRowsFor(String example) {
        if (example.contains("longest")) {
            // Queues of 288, 22, 10 and 2 operations; HTA finds as many (docs/evidence/comparison.md).
            return "a100-trace-diff-control";
        }
        return example.contains("FROM steps") ? "a100-nccl" : "h100-timesformer";
    }

    private int execute(String... args) {
        String[] all = new String[args.length + 1];
        all[0] = "query";
        System.arraycopy(args, 0, all, 1, args.length);
        return Main.run(Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)), all);
    }
}
