package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
                .hasMessage("no report format \"pdf\"; there are console, markdown, html, json");
        assertThatThrownBy(() -> Renderers.byFileName("report"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"report\"");
    }
}
