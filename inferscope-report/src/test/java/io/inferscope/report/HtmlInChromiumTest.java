package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The HTML report in a real browser. */
@Tag("chromium")
class HtmlInChromiumTest {
    @TempDir
    private Path folder;

    @Test
    void hostileNamesAppearAsTextAndNoScriptRuns() throws Exception {
        Chromium chromium = Chromium.find(folder);
        Path page = write("hostile", everyText(HostileText.corpus()));
        Path plain = write("plain", ReportFixture.gpu());

        String dom = chromium.dom(page);

        assertThat(dom).contains("<title>InferScope: &lt;script&gt;document.title='canary'&lt;/script&gt;</title>");
        assertThat(HtmlCheck.elements(dom)).isSubsetOf(HtmlCheck.elements(chromium.dom(plain)));
        assertThat(HtmlCheck.text(dom))
                .contains("<script>document.title='canary'</script>", "[canary](javascript:alert(1))");
        assertThat(chromium.console(page)).isEmpty();
    }

    @Test
    void theReportBreaksNoneOfItsOwnPolicies() throws Exception {
        Chromium chromium = Chromium.find(folder);

        assertThat(chromium.console(write("plain", ReportFixture.gpu()))).isEmpty();
    }

    /** Without this, the two tests above could not fail. */
    @Test
    void chromiumReportsWhatThePolicyForbids() throws Exception {
        Chromium chromium = Chromium.find(folder);
        Path page = folder.resolve("bad.html");
        String html = Rendered.as("html", ReportFixture.gpu());
        Files.writeString(
                page,
                html.replace("<main>", "<main><script>document.title='canary'</script><p style=\"color:red\">x</p>"));

        assertThat(chromium.dom(page)).doesNotContain("<title>canary</title>");
        assertThat(chromium.console(page)).contains("Content Security Policy");
    }

    private Path write(String name, Report report) throws Exception {
        return Files.writeString(folder.resolve(name + ".html"), Rendered.as("html", report));
    }

    /** Each text of the report becomes another one of the corpus; the first, which is the title, becomes the first. */
    private static Report everyText(List<String> corpus) {
        AtomicInteger next = new AtomicInteger();
        return Rewritten.texts(ReportFixture.gpu(), old -> corpus.get(next.getAndIncrement() % corpus.size()));
    }
}
