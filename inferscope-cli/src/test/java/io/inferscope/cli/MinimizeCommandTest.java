package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import io.inferscope.timeline.kineto.KinetoExporter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MinimizeCommandTest {
    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    /** Thirty operators that are slower to dispatch than to run, at a line of the program, and a thread that has nothing to do with it. */
    private Path trace() throws Exception {
        TimelineFixture fixture = TimelineFixture.blank().property("token", "sk-secret");
        for (int i = 0; i < 30; i++) {
            double at = 100 * i;
            fixture.python("main", at, at + 90, "/home/ada/secret/serve.py(12): forward")
                    .operator("main", at + 1, at + 80, "aten::add")
                    .kernel("7", at + 82, at + 90, "add_kernel")
                    .launchedBy("main", at + 70, at + 78)
                    .operator("other", at, at + 50, "aten::noise");
        }
        Path trace = folder.resolve("trace.json");
        KinetoExporter.write(fixture.build(), trace);
        return trace;
    }

    private int minimize(String finding, String... more) throws Exception {
        String[] args = {"minimize", trace().toString(), "--finding", finding, "-o", small().toString()};
        return Main.commandLine()
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(new StringWriter()))
                .execute(IntStream.range(0, args.length + more.length)
                        .mapToObj(i -> i < args.length ? args[i] : more[i - args.length])
                        .toArray(String[]::new));
    }

    private Path small() {
        return folder.resolve("small.json.gz");
    }

    private static Finding finding(Timeline timeline, String rule) {
        return new Analyzer()
                .analyze(timeline, "trace").findings().stream()
                        .filter(found -> found.rule().equals(rule))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void whatIsLeftHasTheSameFindingAtTheSamePlace() throws Exception {
        assertThat(minimize("launch-bound", "--no-redact")).as(err.toString()).isZero();

        Timeline whole = Formats.importers().load(folder.resolve("trace.json"));
        Timeline small = Formats.importers().load(small());
        assertThat(small.rowCount()).isLessThan(12);
        Finding before = finding(whole, "launch-bound");
        Finding after = finding(small, "launch-bound");
        assertThat(after.severity()).isEqualTo(before.severity());
        assertThat(after.causes()).isEqualTo(before.causes());
        assertThat(after.places().get(0)).isEqualTo(before.places().get(0)).contains("serve.py:12 forward");
        assertThat(IntStream.range(0, small.rowCount()).mapToObj(small::name)).doesNotContain("aten::noise");
    }

    @Test
    void privateTextIsLeftOut() throws Exception {
        assertThat(minimize("launch-bound")).as(err.toString()).isZero();

        Timeline small = Formats.importers().load(small());
        assertThat(IntStream.range(0, small.nameCount()).mapToObj(small::text)).noneMatch(text -> text.contains("ada"));
        assertThat(small.properties().values()).doesNotContain("sk-secret");
    }

    @Test
    void aFindingThatIsNotThereIsOneLineWithThoseThatAre() throws Exception {
        assertThat(minimize("gil-contention")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("inferscope minimize: gil-contention finds nothing in this trace; found: ")
                .contains("launch-bound");
        assertThat(small()).doesNotExist();
    }

    @Test
    void aRuleThatDoesNotExistIsCalledThat() throws Exception {
        assertThat(minimize("launchbound")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("inferscope minimize: there is no rule launchbound; found in this trace: ")
                .contains("launch-bound");
    }
}
