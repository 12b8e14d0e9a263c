package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RenderersTest {
    @Test
    void everyFormatIsFoundByItsName() {
        assertThat(Renderers.formats())
                .allSatisfy(format ->
                        assertThat(Renderers.byFormat(format).format()).isEqualTo(format));
    }

    @ParameterizedTest
    @CsvSource({
        "report.md, markdown",
        "a/b.c/REPORT.HTML, html",
        "report.htm, html",
        "outputs/report_1.json, json",
        "report.txt, console",
    })
    void theEndingOfAFileNameChoosesTheFormat(String fileName, String format) {
        assertThat(Renderers.byFileName(fileName).format()).isEqualTo(format);
    }

    @Test
    void unknownFormatsAreNamedWithTheKnownOnes() {
        assertThatThrownBy(() -> Renderers.byFormat("pdf"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "no report format \"pdf\"; there are console, markdown, html, json, github, prometheus, otlp");
        assertThatThrownBy(() -> Renderers.byFileName("report"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"report\"");
        assertThatThrownBy(() -> Renderers.byFileName("markdown"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(".txt, or write --format markdown");
    }

    @Test
    void everyFormatNamesThePartsThatAreMissing() {
        assertThat(Renderers.formats()).allSatisfy(format -> {
            StringBuilder whole = new StringBuilder();
            StringBuilder lacking = new StringBuilder();
            Renderers.byFormat(format).render(ReportFixture.gpu(), whole);
            Renderers.byFormat(format).render(ReportFixture.withFailures(), lacking);
            assertThat(whole.toString()).doesNotContain("StackOverflowError");
            assertThat(lacking.toString())
                    .contains("rule gpu-idle", "IllegalArgumentException", "table kernels", "StackOverflowError");
        });
    }

    /** Loading flexmark costs some 150 ms of CPU, so only the page that has rules to explain may touch it. */
    @Test
    void onlyTheRulePagesKnowFlexmark() throws IOException {
        try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
            List<Path> files = sources.filter(Files::isRegularFile).toList();
            assertThat(files.stream().filter(file -> contains(file, "import com.vladsch")))
                    .extracting(file -> file.getFileName().toString())
                    .containsExactly("RulePages.java");
            assertThat(files.stream().filter(file -> contains(file, "new RulePages(")))
                    .extracting(file -> file.getFileName().toString())
                    .containsExactly("HtmlFindings.java");
        }
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
