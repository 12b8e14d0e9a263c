package io.inferscope.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RulePagesTest {
    private final RulePages pages = new RulePages("test-rules/");

    @Test
    void aPageLosesItsTitleAndItsLinksAndSinksBelowTheFinding() throws IOException {
        assertThat(pages.html("an-example")).hasValue("""
                <h4>How it is computed</h4>
                <p>Of the <strong>ledger</strong>, see the design; &lt;b&gt;raw&lt;/b&gt; markup stays text.</p>
                <table>
                <thead>
                <tr><th>Limit</th></tr>
                </thead>
                <tbody>
                <tr><td>20%</td></tr>
                </tbody>
                </table>
                """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-rule", "", "../test-rules/an-example", "an-example.md", "AN-EXAMPLE"})
    void whatIsNoRuleHasNoPage(String rule) throws IOException {
        assertThat(pages.html(rule)).isEmpty();
    }
}
