package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.LimitOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DiffCommandTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path before = Path.of("");
    private Path after = Path.of("");

    @BeforeEach
    void recordings() throws IOException {
        before = recording("before.json", 40);
        after = recording("after.json", 25);
    }

    @Test
    void saysWhatChangedOnStandardOutput() {
        assertThat(execute("diff", before, after)).isZero();
        assertThat(out.toString())
                .startsWith("InferScope: after.json compared with before.json\n")
                .contains("Faster: the window takes 25.0 us instead of 40.0 us, 37.5% less.", "aten::mm");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void writesEveryFormat() throws IOException {
        assertThat(execute(
                        "diff",
                        before,
                        after,
                        "-o",
                        folder.resolve("d.md"),
                        "-o",
                        folder.resolve("d.html"),
                        "-o",
                        folder.resolve("d.json")))
                .isZero();

        assertThat(Files.readString(folder.resolve("d.md"))).startsWith("<!-- inferscope-diff -->");
        assertThat(Files.readString(folder.resolve("d.html"))).startsWith("<!DOCTYPE html>");
        assertThat(Files.readString(folder.resolve("d.json"))).contains("\"schema\": \"inferscope-diff/1\"");
    }

    @Test
    void theSameRecordingTwiceIsNoChange() {
        assertThat(execute("diff", before, before)).isZero();
        assertThat(out.toString()).contains("No change: every figure is the same before and after.");
    }

    @Test
    void oneRecordingIsNotEnoughAndThreeAreTooMany() {
        assertThat(execute("diff", before)).isEqualTo(Failures.USAGE);
        assertThat(execute("diff", before, after, after)).isEqualTo(Failures.USAGE);
        assertThat(err.toString()).contains("'AFTER'");
    }

    @Test
    void severalRunsOfEachAreJudgedByHowTheyDiffer() throws IOException {
        assertThat(execute("diff", before, after, "--more-before", recording("b2.json", 26), recording("b3.json", 39)))
                .isZero();
        assertThat(out.toString())
                .startsWith("InferScope: after.json compared with b3.json\n")
                .contains(
                        "No change beyond noise: the window takes 25.0 us instead of 39.0 us",
                        "40.0 us, 26.0 us, 39.0 us in");
        assertThat(execute("diff", before, after, "--more-after", after, "-o", after))
                .isEqualTo(Failures.USAGE);
    }

    @Test
    void anInputThatCannotBeReadIsNamed() {
        assertThat(execute("diff", before, folder.resolve("none.json"))).isEqualTo(Failures.INPUT);
        assertThat(err.toString()).contains("none.json").hasLineCount(1);
    }

    @Test
    void anInputIsNeverOverwritten() {
        assertThat(execute("diff", before, after, "-o", after)).isEqualTo(Failures.USAGE);
    }

    @Test
    void reportsAreComparedLikeTheirRecordings() throws IOException {
        Path one = report(before);
        Path other = report(after);

        for (List<Path> pair : List.of(List.of(one, other), List.of(before, other), List.of(one, after))) {
            out.getBuffer().setLength(0);
            assertThat(execute("diff", pair.get(0), pair.get(1))).isZero();
            assertThat(out.toString())
                    .contains(
                            "Faster: the window takes 25.0 us instead of 40.0 us, 37.5% less.",
                            "aten::mm", "JSON reports hold no single durations");
        }
        out.getBuffer().setLength(0);
        assertThat(execute("diff", one, one)).isZero();
        assertThat(out.toString()).contains("No change: every figure is the same before and after.");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void limitsHoldForReportsToo() throws IOException {
        assertThat(execute("diff", "--fail-on", "regression>5%,delta.wall>0%", report(before), report(after)))
                .isZero();
        assertThat(execute("diff", "--fail-on", "regression>5%,wall>39us", report(after), report(before)))
                .isEqualTo(LimitOption.CROSSED);
        assertThat(err.toString())
                .contains("limit crossed: regression>5%: Slower", "wall is 40.0 us")
                .hasLineCount(2);
    }

    @Test
    void aReportCannotBeCut() throws IOException {
        assertThat(execute("diff", "--scope", "steady", report(before), after)).isEqualTo(Failures.USAGE);
        assertThat(err.toString()).contains("before.json.report.json is a report, which cannot be cut");
    }

    @Test
    void aDamagedReportIsNamed() throws IOException {
        Path whole = report(before);
        Path cut = Files.writeString(
                folder.resolve("cut.json"), Files.readString(whole).substring(0, 900));

        assertThat(execute("diff", cut, after)).isEqualTo(Failures.INPUT);
        assertThat(err.toString()).contains("cut.json: a damaged report: ").hasLineCount(1);
    }

    private Path report(Path recording) throws IOException {
        Path file = folder.resolve(recording.getFileName() + ".report.json");
        assertThat(execute("analyze", recording, "-o", file)).isZero();
        err.getBuffer().setLength(0);
        out.getBuffer().setLength(0);
        return file;
    }

    private Path recording(String name, int durationUs) throws IOException {
        return Files.writeString(
                folder.resolve(name),
                "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":"
                        + durationUs + "}]}");
    }

    private int execute(Object... words) {
        String[] args = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            args[i] = words[i].toString();
        }
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return Main.run(line, args);
    }
}
