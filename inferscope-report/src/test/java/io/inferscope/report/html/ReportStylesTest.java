package io.inferscope.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.LedgerClass;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReportStylesTest {
    /** A shape without a colour is black. */
    @Test
    void everyClassHasAColour() throws IOException {
        String css = css();
        List<String> selectors = Pattern.compile("([^{}]+)\\{ fill: var")
                .matcher(css)
                .results()
                .flatMap(rule -> Arrays.stream(rule.group(1).trim().split(", ")))
                .toList();

        Stream<String> ids = Stream.of(LedgerClass.values(), LedgerClass.Rollup.values())
                .flatMap(Arrays::stream)
                .map(HasStableId::id)
                .map(id -> id.replace('.', '-'));

        assertThat(ids)
                .allSatisfy(id -> assertThat(selectors)
                        .as(id)
                        .anyMatch(selector -> selector.equals("." + id)
                                || (selector.startsWith("[class^=\"")
                                        && id.startsWith(selector.substring(9, selector.indexOf('"', 9))))));
    }

    /** By day and by night; of waits, those for a CPU or a lock have another one. */
    @Test
    void nativeCodeWaitsAndEachKindOfPythonDifferInColour() throws IOException {
        String css = css();
        List<LedgerClass> classes = List.of(
                LedgerClass.CPU_NATIVE,
                LedgerClass.CPU_PYTHON,
                LedgerClass.LIBRARY_PYTHON,
                LedgerClass.CPU_CODE,
                LedgerClass.CPU_UNKNOWN,
                LedgerClass.UNATTRIBUTED,
                LedgerClass.WAIT_UNKNOWN,
                LedgerClass.WAIT_LOCK);
        for (int theme = 0; theme < 2; theme++) {
            int of = theme;
            assertThat(classes)
                    .extracting(each -> colour(css, each, of))
                    .doesNotContainNull()
                    .doesNotHaveDuplicates();
        }
    }

    private static String colour(String css, LedgerClass ledgerClass, int theme) {
        String id = ledgerClass.id().replace('.', '-');
        String family = id.substring(0, id.indexOf('-') < 0 ? id.length() : id.indexOf('-') + 1);
        Matcher rule = Pattern.compile(
                        "(?:\\." + id + "\\b(?!-)|\"" + family + "\"])[^{}]*\\{ fill: var\\((--[\\w-]+)\\)")
                .matcher(css);
        String variable = "";
        while (rule.find()) {
            variable = rule.group(1); // The last rule counts, as in a browser.
        }
        return Pattern.compile("[ ;]" + variable + ": ([^;]+);")
                .matcher(css)
                .results()
                .map(found -> found.group(1))
                .toList()
                .get(theme);
    }

    private static String css() throws IOException {
        try (InputStream in = HtmlPage.class.getResourceAsStream("report.css")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
