package io.inferscope.report.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.report.Rendered;
import io.inferscope.report.ReportFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsoleSummaryTest {
    @Test
    void theFirstLinesSayWhatIsWrongWhereWhatToChangeAndWhatItIsWorth() {
        List<String> head = head(100);

        assertThat(head).hasSizeLessThanOrEqualTo(10);
        assertThat(head).anyMatch(line -> line.startsWith("Verdict: cpu. "));
        assertThat(head)
                .contains(
                        "Wrong:   The tokenizer takes 2.90 s in 412 calls.",
                        "Where:   embed.py:31",
                        "Change:  Use AutoTokenizer.from_pretrained(..., use_fast=True)",
                        "Worth:   2.36 s to 2.90 s (31.0% to 38.1% of the window of thread 812 (MainThread))");
    }

    @Test
    void theyFitTenLinesOfANarrowTerminal() {
        assertThat(head(60)).hasSizeLessThanOrEqualTo(10);
    }

    @Test
    void theScreenHasNoInternalTerms() {
        assertThat(Rendered.as("console", ReportFixture.gpu())).doesNotContain("points behind", "not applicable");
    }

    @Test
    void noFormatSpeaksOfPointsBehind() {
        for (String format : List.of("html", "markdown")) {
            assertThat(Rendered.as(format, ReportFixture.gpu())).doesNotContain("points behind");
        }
    }

    private static List<String> head(int width) {
        String page =
                Rendered.by(new ConsoleRenderer(new ConsoleOptions(width, false, false)), ReportFixture.cpuOnly());
        return page.lines().takeWhile(line -> !line.startsWith("End-to-end")).toList();
    }
}
