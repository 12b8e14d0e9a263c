package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.timeline.fixture.Seeds;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page for people who read it on a small screen, on paper, with large letters, with few colours or by ear. */
@Tag("chromium")
class PageForEveryoneTest {
    /** All of WCAG 2.2 AA, contrast included. */
    private static final String ALL = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']";

    /** What another theme may change. */
    private static final String COLOURS = "{type: 'rule', values: ['color-contrast', 'link-in-text-block']}";

    /** What axe calls a violation of the {@code RULES}, as one line each. */
    private static final String VIOLATIONS =
            "axe.run(document, {runOnly: RULES}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 150) + ' ' "
                    + "+ (n.any[0] ? n.any[0].message : '')).slice(0, 3).join(' | ')))";

    /** Leaves two rows of each table: the others are like them, and axe takes its time for each element. */
    private static final String FEWER_ROWS = "for (const t of document.querySelectorAll('tbody')) {"
            + " while (t.rows.length > 2) t.lastElementChild.remove(); }";

    private static final AnalyzedReport EXPLAINED = Recorded.explained(Recorded.program(21, 200));

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {"light, \"" + ALL + "\"", "dark, \"" + COLOURS + "\""})
    void axeFindsNothing(String theme, String rules) throws Exception {
        try (Browser.Page page = Browser.shared().page()) {
            page.like(1_300, 900, "prefers-color-scheme=" + theme);
            page.open(page());
            page.evaluate("document.querySelector('canvas.lanes').focus()");
            for (String key : List.of("j", "n", "?")) {
                page.press(key);
            }
            page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true");
            if (!Seeds.areAll()) {
                page.evaluate(FEWER_ROWS);
            }
            page.evaluate(axe());

            assertThat((List<?>) page.evaluate(VIOLATIONS.replace("RULES", rules)))
                    .isEmpty();
            assertThat(page.number("document.querySelectorAll('h1').length")).isEqualTo(1);
            assertThat((Boolean) page.evaluate("['header', 'main', 'nav'].every(one => document.querySelector(one))"))
                    .as("banner, main and navigation")
                    .isTrue();
            assertThat((String) page.evaluate("document.querySelector('[aria-live]:not(:empty)').textContent"))
                    .as("what is chosen is said")
                    .isNotBlank();
        }
    }

    /** Without this, the test above could not fail. */
    @Test
    void axeFindsWhatIsWrong() throws Exception {
        try (Browser.Page page = Browser.shared().page()) {
            page.like(1_300, 900);
            page.open(page());
            page.evaluate(FEWER_ROWS);
            page.evaluate("document.querySelector('canvas.lanes').removeAttribute('aria-label');"
                    + "document.querySelector('.tools label').remove()");
            page.evaluate(axe());

            assertThat((List<?>) page.evaluate(VIOLATIONS.replace("RULES", ALL)))
                    .asString()
                    .contains("label");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {320, 650})
    void aNarrowScreenScrollsDownAlone(int width) throws Exception {
        try (Browser.Page page = Browser.shared().page()) {
            page.like(width, 900, "prefers-reduced-motion=reduce");
            page.open(page());

            assertThat(page.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
            assertThat(page.number("inferscope.state().plot")).isGreaterThan(100);
            assertThat(page.number("document.getAnimations().length")).isZero();
        }
    }

    @Test
    void forcedColoursLeaveTheTimelineReadable() throws Exception {
        try (Browser.Page page = Browser.shared().page()) {
            page.like(1_300, 900, "forced-colors=active");
            page.open(page());

            assertThat(page.number("(c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size)("
                            + "document.querySelector('canvas.lanes'))"))
                    .as("different colours on the canvas")
                    .isGreaterThan(4);
            assertThat(page.messages()).isEmpty();
        }
    }

    @Test
    void paperIsLightAndHasAllOfASmallReport() throws Exception {
        try (Browser.Page page = Browser.shared().page()) {
            page.like(1_300, 900, "prefers-color-scheme=dark");
            page.open(page());
            double dark = brightness(page);
            page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
            double light = brightness(page);
            String pdf = (String)
                    page.call("Page.printToPDF", "\"printBackground\":true").get("data");
            page.evaluate("window.dispatchEvent(new Event('afterprint'))");

            assertThat(dark).isLessThan(0.5);
            assertThat(light).isGreaterThan(0.5);
            assertThat(brightness(page)).isEqualTo(dark);
            assertThat(pages(Base64.getDecoder().decode(pdf))).isBetween(1, 6);
        }
    }

    /** What is folded on the screen is on paper, the rules' pages excepted. */
    @Test
    void paperShowsWhatTheScreenFolds() throws Exception {
        try (Browser.Page page = Browser.shared().page()) {
            page.like(1_300, 900).open(page());
            String folded = "[...document.querySelectorAll('[aria-labelledby=tables] details:not([open]) table')]";
            double tables = page.number(folded + ".length");
            assertThat(tables).isGreaterThan(3);
            assertThat(page.number(folded + ".filter(t => t.checkVisibility()).length"))
                    .isZero();

            page.call("Emulation.setEmulatedMedia", "\"media\":\"print\"");
            assertThat(page.number(folded + ".filter(t => t.getBoundingClientRect().height > 20).length"))
                    .isEqualTo(tables);
            assertThat(page.number(
                            "[...document.querySelectorAll('.explained')].filter(e => e.checkVisibility()).length"))
                    .isZero();
            assertThat(page.number(
                            "(rows => { for (let i = 0; i < 9; i++) rows.append(rows.lastElementChild.cloneNode(true));"
                                    + " return [...rows.children].filter(row => !row.checkVisibility()).length; })("
                                    + "document.querySelector('table.ledger tbody'))"))
                    .as("hidden rows of a long ledger, which has to sum to all of the time")
                    .isZero();
        }
    }

    @Test
    void whatStandsBesideTheLanesLeavesThemFree() throws Exception {
        try (Browser.Page page = Browser.shared().page()) {
            page.like(320, 900).open(page());
            page.evaluate(
                    "(p => { const fill = p.fillText; window.beyond = []; window.texts = 0; p.fillText = function(text, x, y) {"
                            + " if (x === 4) { texts++; if (x + this.measureText(text).width > inferscope.state().gutter) beyond.push(text); }"
                            + " fill.call(this, text, x, y); }; })(CanvasRenderingContext2D.prototype)");
            page.evaluate("inferscope.draw()");
            assertThat(page.number("texts")).isGreaterThan(4);
            assertThat(page.evaluate("beyond")).asInstanceOf(LIST).isEmpty();
        }
    }

    /** The brightness of the canvas where no event is, from 0 to 1. */
    private static double brightness(Browser.Page page) throws Exception {
        return page.number("(d => (d[0] + d[1] + d[2]) / 765)("
                + "document.querySelector('canvas.lanes').getContext('2d').getImageData(3, 30, 1, 1).data)");
    }

    private static int pages(byte[] pdf) {
        return (int) Pattern.compile("/Type\\s*/Page[^s]")
                .matcher(new String(pdf, StandardCharsets.ISO_8859_1))
                .results()
                .count();
    }

    private static String axe() throws Exception {
        try (InputStream in = PageForEveryoneTest.class.getResourceAsStream("/axe.min.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8) + "; 1";
        }
    }

    private String page() throws Exception {
        return Recorded.write(Files.createTempDirectory(folder, "page"), Recorded.page(EXPLAINED))
                .toUri()
                .toString();
    }
}
