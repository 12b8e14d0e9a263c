package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.cli.common.Failures;
import io.inferscope.timeline.fixture.TraceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("process")
class FleetCommandTest {
    @TempDir
    Path folder;

    private InferScopeProcess inferscope;

    @BeforeEach
    void write() throws IOException {
        inferscope = new InferScopeProcess(folder);
        TraceFile.ofHalfIdleDevice(folder); // trace.json
    }

    @Test
    void aSummaryAndABuildOfTheSameRecordingAreOneRow() throws Exception {
        Result analyzed = inferscope.run("analyze", "trace.json", "--summary", "fleet", "--label", "service=chat");
        assertThat(analyzed.exitCode()).as(analyzed.stderr()).isZero();
        assertThat(analyzed.out()).startsWith("InferScope: trace.json");
        inferscope.run("analyze", "trace.json", "--summary", "fleet", "--label", "service=search");
        assertThat(sets()).singleElement().asString().startsWith("set-1-");

        Result built = inferscope.run("fleet", "build", ".", "-o", "fleet");
        assertThat(built.exitCode()).as(built.stderr()).isZero();
        assertThat(built.out()).startsWith("0 recordings analysed").contains("1 were known");

        Result report = inferscope.run("fleet", "report", "fleet", "--format", "json");
        assertThat(report.out())
                .contains("\"recordings\" : 1", "\"name\" : \"search\"")
                .doesNotContain("chat");
        Result page = inferscope.run("fleet", "report", "fleet", "-o", "report.html");
        assertThat(page.out()).contains("service search");
        assertThat(Files.readString(folder.resolve("report.html"))).contains("<svg", "Services by idle device time");
    }

    @Test
    void aWatchTakesWhatIsWrittenAndEnds() throws Exception {
        Result watched = inferscope.run("fleet", "watch", ".", "-o", "fleet", "--every", "200ms", "--for", "1s");
        assertThat(watched.exitCode()).as(watched.stderr()).isZero();
        assertThat(watched.out()).containsOnlyOnce("1 recordings analysed");
        assertThat(sets()).hasSize(1);
    }

    @Test
    void whatCannotBeMeantIsRefusedInOneLine() throws Exception {
        for (List<String> words : List.of(
                List.of("fleet"),
                List.of("fleet", "build", "none", "-o", "fleet"),
                List.of("fleet", "build", ".", "-o", "trace.json"),
                List.of("fleet", "build", ".", "-o", "fleet", "--label", "A=b"),
                List.of("fleet", "build", ".", "-o", "fleet", "--jobs", "0"),
                List.of("fleet", "watch", "trace.json", "-o", "fleet"),
                List.of("fleet", "watch", ".", "-o", "fleet", "--for", "soon"),
                List.of("fleet", "report", "."),
                List.of("analyze", "trace.json", "--label", "a=b"),
                List.of("analyze", "-", "--summary", "fleet"),
                List.of("diff", "trace.json", "trace.json", "--label", "a=b"),
                List.of("diff", "trace.json", "trace.json", "--format", "prometheus"))) {
            Result refused = inferscope.run(words.toArray(String[]::new));
            assertThat(refused.exitCode()).as(words + refused.stderr()).isEqualTo(Failures.USAGE);
            assertThat(refused.stderr()).as(words.toString()).hasLineCount(1);
        }
        assertThat(folder.resolve("fleet")).doesNotExist();
    }

    @Test
    void aQueryWithoutADriverSaysHowToGetOne() throws Exception {
        inferscope.run("analyze", "trace.json", "--summary", "fleet");
        Result refused = inferscope.run("fleet", "query", "fleet", "select 1");
        assertThat(refused.exitCode()).isEqualTo(Failures.USAGE);
        assertThat(refused.stderr()).contains("INFERSCOPE_DUCKDB", "dependency:copy");
        Result none = inferscope.run("fleet", "query", "fleet", "select 1", "--duckdb", "trace.json");
        assertThat(none.exitCode()).isEqualTo(Failures.ENVIRONMENT);
        assertThat(none.stderr()).contains("no driver of DuckDB").hasLineCount(1);
    }

    private List<Path> sets() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("fleet"))) {
            return files.map(Path::getFileName)
                    .filter(name -> name.toString().startsWith("set-"))
                    .toList();
        }
    }
}
