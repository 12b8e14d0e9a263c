package io.inferscope.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Identified;
import io.inferscope.analyzer.model.LedgerClass;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReportStylesTest {
    /** A shape without a colour is black. */
    @Test
    void everyClassHasAColour() throws IOException {
        String css;
        try (InputStream in = HtmlPage.class.getResourceAsStream("report.css")) {
            css = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        List<String> selectors = Pattern.compile("([^{}]+)\\{ fill: var")
                .matcher(css)
                .results()
                .flatMap(rule -> Arrays.stream(rule.group(1).trim().split(", ")))
                .toList();

        Stream<String> ids = Stream.of(LedgerClass.values(), LedgerClass.Rollup.values())
                .flatMap(Arrays::stream)
                .map(Identified::id)
                .map(id -> id.replace('.', '-'));

        assertThat(ids)
                .allSatisfy(id -> assertThat(selectors)
                        .as(id)
                        .anyMatch(selector -> selector.equals("." + id)
                                || (selector.startsWith("[class^=\"")
                                        && id.startsWith(selector.substring(9, selector.indexOf('"', 9))))));
    }
}
