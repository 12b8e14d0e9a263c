package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.markdown.MarkdownPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Comparisons in every format: what they say, and that no name of a trace does anything. */
class ComparisonRendererTest {
    private static final Path GOLDEN = Path.of("src", "test", "resources", "golden");
    private static final Pattern CONTROL =
            Pattern.compile("[\\p{Cntrl}&&[^\n]]|[\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]");

    static List<String> corpus() {
        return HostileText.corpus();
    }

    /** {@code -Dinferscope.golden=adopt} writes them anew. */
    @ParameterizedTest
    @CsvSource({"console, 100.txt", "markdown, md", "html, html", "json, json"})
    void theComparisonIsTheOneThatWasRead(String format, String ending) throws IOException {
        String rendered = rendered(format, ConsoleOptions.FILE, ComparisonFixture.faster());
        Path golden = GOLDEN.resolve("diff." + ending);
        if ("adopt".equals(System.getProperty("inferscope.golden"))) {
            Files.writeString(golden, rendered);
        }

        assertThat(rendered).isEqualTo(Files.readString(golden)).endsWith("\n").doesNotContain("\r");
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void htmlShowsItAndDoesNothing(String text) {
        String html = rendered("html", ConsoleOptions.FILE, hostile(text));

        assertThat(HtmlCheck.elements(html))
                .isSubsetOf(HtmlCheck.elements(rendered("html", ConsoleOptions.FILE, hostile("plain"))
                        + rendered("html", ConsoleOptions.FILE, hostile("a`b`"))));
        assertThat(CONTROL.matcher(html).find()).isFalse();
        assertThat(html).contains("default-src 'none'; script-src 'none'".replace("'", "&#39;"));
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void markdownAndConsoleStayInTheirBounds(String text) {
        String markdown = rendered("markdown", ConsoleOptions.FILE, hostile(text));
        String ascii = rendered("console", new ConsoleOptions(60, false, true), hostile(text));

        assertThat(CONTROL.matcher(markdown).find()).isFalse();
        assertThat(markdown).hasSizeLessThanOrEqualTo(MarkdownPage.LIMIT);
        assertThat(ascii).matches(Pattern.compile("[\\x20-\\x7e\\n]*"));
        assertThat(ascii.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(60));
    }

    @Test
    void everyMemberOfTheJsonIsDocumented() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "diff.md"));
        Map<String, Object> json =
                JsonTree.object(JsonTree.of(rendered("json", ConsoleOptions.FILE, ComparisonFixture.faster())));
        TreeSet<String> names = new TreeSet<>();
        JsonPaths.names(json, names);

        assertThat(json).containsEntry("schema", "inferscope-diff/1");
        assertThat(names).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
    }

    @Test
    void anUnknownFormatIsRefused() {
        assertThatThrownBy(() -> Renderers.comparison("pdf", ConsoleOptions.FILE, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pdf");
        assertThat(Renderers.formats())
                .allSatisfy(format -> assertThat(Renderers.comparison(format, ConsoleOptions.FILE, List.of()))
                        .isNotNull());
    }

    private static Comparison hostile(String text) {
        return Rewritten.texts(ComparisonFixture.faster(), old -> text);
    }

    private static String rendered(String format, ConsoleOptions console, Comparison comparison) {
        StringBuilder out = new StringBuilder();
        try {
            Renderers.comparison(format, console, List.of()).render(comparison, out);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return out.toString();
    }
}
