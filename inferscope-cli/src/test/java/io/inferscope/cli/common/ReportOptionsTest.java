package io.inferscope.cli.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.analyzer.model.Report.Failure;
import io.inferscope.cli.TestProgram;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.plots.Plot;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What is written although a format, or a part of a report, failed. */
class ReportOptionsTest {
    @TempDir
    private Path folder;

    @Test
    void aFormatThatFailsCostsItsOwnFileAlone() {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(new Object()).name("analyze");
        ReportOptions reports = new ReportOptions(spec);
        StringWriter out = new StringWriter();
        new CommandLine(spec).setOut(new PrintWriter(out)).parseArgs();
        for (String file : List.of("a.html", "b.md", "c.json")) {
            reports.files().add(folder.resolve(file));
        }

        assertThatThrownBy(() -> reports.write((format, console, to) -> {
                    to.append("begun");
                    if (format.equals("markdown")) {
                        throw new IllegalStateException("no width");
                    }
                }))
                .hasMessage(folder.resolve("b.md") + " is not written: IllegalStateException: no width");
        assertThat(folder.resolve("a.html")).hasContent("begun");
        assertThat(folder.resolve("b.md")).doesNotExist();
        assertThat(folder.resolve("c.json")).hasContent("begun");
        assertThat(out.toString()).isEqualTo("begun");
    }

    @Test
    void aMarkdownReportHasItsPicturesBesideIt() throws IOException {
        Path report = folder.resolve("a report.md");

        assertThat(TestProgram.run("analyze", "../examples/demo/decode.json", "-o", report.toString())
                        .exitCode())
                .isZero();

        assertThat(report).content().contains("![Use of device 0 over time](a%20report-gpu-0.svg)");
        assertThat(folder.resolve("a report-gpu-0.svg"))
                .content()
                .startsWith("<svg xmlns=")
                .contains("Use of device 0 over time: 49.");
    }

    @Test
    void aPageHasItsTimelineUnlessNoScriptIsWanted() {
        for (boolean scripts : new boolean[] {true, false}) {
            Path page = folder.resolve(scripts + ".html");
            List<String> words =
                    new ArrayList<>(List.of("analyze", "../examples/demo/decode.json", "-o", page.toString()));
            if (!scripts) {
                words.add("--no-scripts");
            }
            assertThat(TestProgram.run(words.toArray(String[]::new)).exitCode()).isZero();
        }

        assertThat(folder.resolve("true.html")).content().contains("<script>", "id=\"recording\"", "href=\"#t=");
        assertThat(folder.resolve("false.html"))
                .content()
                .contains("script-src &#39;none&#39;", "Verdict: ", "id=\"F1\"")
                .doesNotContain("<script", "id=\"timeline\"", "href=\"#t=");
    }

    @Test
    void nothingLiesBesideAStreamAndNoNameOfTheTraceIsMarkup() throws IOException {
        Plot plot = new Plot("gpu-0", "Use of device 0](x)\n\n# Verdict", "words", 10, "");
        Path report = folder.resolve("report.md");

        assertThat(written("/dev/stdout", plot).pictures()).isEmpty();
        assertThat(written(report.toString(), plot).pictures()).containsExactly(folder.resolve("report-gpu-0.svg"));
        assertThat(report).content().isEqualTo("\n![Use of device `0](x)`  \\# Verdict](report-gpu-0.svg)\n");
    }

    private static ReportOptions written(String file, Plot plot) throws IOException {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(new Object()).name("analyze");
        ReportOptions reports = new ReportOptions(spec);
        new CommandLine(spec).setOut(new PrintWriter(new StringWriter())).parseArgs("-o", file, "--format", "markdown");
        reports.check(List.of(), null);
        reports.write(new ReportOptions.Content() {
            @Override
            public void render(String format, ConsoleOptions console, Appendable out) {}

            @Override
            public List<Plot> plots() {
                return List.of(plot);
            }
        });
        return reports;
    }

    @Test
    void partsThatFailedAreNamedAndAskForTheirOwnExitCode() {
        StringWriter err = new StringWriter();

        assertThat(ReportOptions.tell(List.of(), new PrintWriter(err))).isZero();
        assertThat(ReportOptions.tell(
                        List.of(new Failure("rule gpu-idle", "IllegalArgumentException: gain [2, 1]")),
                        new PrintWriter(err)))
                .isEqualTo(70);
        assertThat(err.toString())
                .contains("internal error at rule gpu-idle: IllegalArgumentException: gain [2, 1]")
                .hasLineCount(1);
    }
}
