package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.vladsch.flexmark.ext.tables.TablesExtension;
import com.vladsch.flexmark.parser.Parser;
import com.vladsch.flexmark.util.data.MutableDataSet;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.console.ConsolePage;
import io.inferscope.report.json.JsonWriter;
import io.inferscope.report.markdown.MarkdownPage;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every text of a report replaced by something hostile, in every format. */
class HostileTextTest {
    private static final Pattern CONTROL =
            Pattern.compile("[\\p{Cntrl}&&[^\n]]|[\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]");

    /** Elements and attributes of reports whose texts do no harm. */
    private static final Set<String> HTML =
            HtmlCheck.elements(Rendered.as("html", hostile("plain")) + Rendered.as("html", hostile("a`b`")));

    private static final Set<String> MARKDOWN = HtmlCheck.elements(
            html(Rendered.as("markdown", hostile("plain `code` a_b"))).replaceFirst("<!--.*-->", ""));

    static List<String> corpus() {
        return HostileText.corpus();
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void htmlShowsItAndDoesNothing(String hostile) {
        String html = Rendered.as("html", hostile(hostile));

        assertThat(HtmlCheck.elements(html))
                .as("elements and attributes are InferScope's own")
                .isSubsetOf(HTML);
        assertThat(html).doesNotContain("onerror=\"", "onmouseover=\"", "onmouseover='");
        assertThat(CONTROL.matcher(html).find()).as("control characters").isFalse();
        assertThat(HtmlCheck.text(html)).contains(shown(hostile));
        assertThat(html.length()).isLessThan(500_000);
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void markdownShowsItAndDoesNothing(String hostile) {
        String markdown = Rendered.as("markdown", hostile(hostile));
        String html = html(markdown);

        assertThat(HtmlCheck.elements(html.replaceFirst("<!--.*-->", ""))).isSubsetOf(MARKDOWN);
        assertThat(CONTROL.matcher(markdown).find()).as("control characters").isFalse();
        assertThat(HtmlCheck.text(html)).contains(shown(hostile.replace("\\|", "\\ |")));
        assertThat(markdown).hasSizeLessThanOrEqualTo(MarkdownPage.LIMIT);
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void theConsoleShowsItInItsColumns(String hostile) {
        Report report = hostile(hostile);
        String console = Rendered.by(Renderers.console(new ConsoleOptions(80, false, false)), report);
        String ascii = Rendered.by(Renderers.console(new ConsoleOptions(60, false, true)), report);

        assertThat(CONTROL.matcher(console).find()).as("control characters").isFalse();
        assertThat(console.lines())
                .allSatisfy(line -> assertThat(
                                line.codePoints().map(ConsolePage::columns).sum())
                        .isLessThanOrEqualTo(80));
        assertThat(ascii).matches(Pattern.compile("[\\x20-\\x7e\\n]*"));
        assertThat(ascii.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(60));
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void jsonKeepsItAsItStands(String hostile) {
        String json = Rendered.as("json", hostile(hostile));

        assertThat(json).matches(Pattern.compile("[\\x20-\\x7e\\n]*"));
        String title = (String) JsonTree.object(JsonTree.of(json)).get("title");
        String whole = hostile.replaceAll("\\p{Cs}(?<![\\ud800-\\udbff][\\udc00-\\udfff])", "\ufffd")
                .replace('\u007f', '\ufffd');
        assertThat(title).isEqualTo(PlainText.shorten(whole, JsonWriter.TEXT));
    }

    private static Report hostile(String text) {
        return Rewritten.texts(ReportFixture.gpu(), old -> text);
    }

    /** Returns what a reader should see of a short text: on one line, white space collapsed. */
    private static String shown(String hostile) {
        String clean = PlainText.clean(hostile, PlainText.NAME);
        return HtmlCheck.collapsed(clean);
    }

    private static String html(String markdown) {
        MutableDataSet options = new MutableDataSet();
        options.set(Parser.EXTENSIONS, List.of(TablesExtension.create()));
        return com.vladsch.flexmark.html.HtmlRenderer.builder(options)
                .build()
                .render(Parser.builder(options).build().parse(markdown));
    }
}
