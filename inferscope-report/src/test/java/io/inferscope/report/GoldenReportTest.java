package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.Renderer;
import io.inferscope.report.console.ConsoleOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole reports, compared byte by byte. {@code -Dinferscope.golden=adopt} writes them anew: read the diff before committing it. */
class GoldenReportTest {
    private static final Path FOLDER = Path.of("src", "test", "resources", "golden");
    private static final Map<String, Report> REPORTS = Map.of(
            "gpu", ReportFixture.gpu(),
            "cpu-only", ReportFixture.cpuOnly(),
            "withheld", ReportFixture.withheld());
    private static final Map<String, Renderer> RENDERERS = Map.of(
            "60.ascii.txt", Renderers.console(new ConsoleOptions(60, false, true)),
            "80.color.txt", Renderers.console(new ConsoleOptions(80, true, false)),
            "100.txt", Renderers.byFormat("console"),
            "120.txt", Renderers.console(new ConsoleOptions(120, false, false)),
            "md", Renderers.byFormat("markdown"),
            "html", Renderers.byFormat("html"),
            "json", Renderers.byFormat("json"));

    static Stream<Arguments> reports() {
        return REPORTS.keySet().stream()
                .sorted()
                .flatMap(name -> RENDERERS.keySet().stream().sorted().map(ending -> Arguments.of(name, ending)));
    }

    @ParameterizedTest
    @MethodSource("reports")
    void theReportIsTheOneThatWasRead(String name, String ending) throws IOException {
        String rendered = Rendered.by(RENDERERS.get(ending), REPORTS.get(name));
        Path golden = FOLDER.resolve(name + "." + ending);
        if ("adopt".equals(System.getProperty("inferscope.golden"))) {
            Files.createDirectories(FOLDER);
            Files.writeString(golden, rendered);
        }

        assertThat(rendered).isEqualTo(Files.readString(golden)).endsWith("\n").doesNotContain("\r");
    }
}
