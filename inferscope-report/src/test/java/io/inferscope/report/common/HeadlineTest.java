package io.inferscope.report.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.Rendered;
import io.inferscope.report.ReportFixture;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The head of a report says each thing once. */
class HeadlineTest {
    /** Of the second graph launch no kernel is recorded. */
    private final Report withheld = new Analyzer().analyze(TimelineFixture.draw("""
            us           0         10        20
            thread main  GG........GG........
            stream 7     ..KKKKKKKK..........
            links 0-0
            """), "lost");

    @ParameterizedTest
    @ValueSource(strings = {"console", "markdown", "html"})
    void aWithheldVerdictSaysItsReasonAndItsRemedyOnce(String format) {
        String head = head(format, withheld);

        assertThat(head)
                .containsOnlyOnce("1 of 2 graph launches have no replayed kernel")
                .containsOnlyOnce("record graph nodes")
                .contains("graph-launches-have-kernels", "failed")
                .doesNotContain("To decide");
    }

    @Test
    void rulesThatWereNotAskedDidNotFindNothing() {
        assertThat(Rendered.as("html", withheld)).contains("No rule ran").doesNotContain("No rule found");
    }

    @Test
    void reasonsThatNoCheckGivesStay() {
        Report unexplained = new Analyzer()
                .analyze(
                        TimelineFixture.blank()
                                .kernel("7", 0, 10, "gemm")
                                .launchedBy("main", -5, -4)
                                .kernel("7", 90, 100, "gemm")
                                .launchedBy("main", 89, 90)
                                .build(),
                        "gap");

        assertThat(new Headline(unexplained).because())
                .isEqualTo(unexplained.verdict().because())
                .hasSize(2);
        assertThat(head("console", unexplained)).contains("To decide: record the host side too");
        assertThat(Rendered.as("console", unexplained)).containsOnlyOnce("inferscope run -- COMMAND");
    }

    @Test
    void aFindingWithAGainIsTheOneToActOnUnlessAnotherCostsFarMore() {
        Finding uncertain = critical("preprocessing", 0.6, 0);
        Finding little = critical("waits", 0.9, 0.07);
        Finding much = critical("launches", 0.5, 0.4);

        assertThat(Headline.toActOn(List.of(uncertain, little))).contains(uncertain);
        assertThat(Headline.toActOn(List.of(uncertain, little, much))).contains(much);
        assertThat(Headline.toActOn(List.of(little, uncertain))).contains(little);
    }

    /** A finding that costs a share of a second and may save another one; 0 for no gain. */
    private static Finding critical(String rule, double share, double gain) {
        return new Finding(
                rule,
                Finding.Severity.CRITICAL,
                rule,
                Math.round(share * 1e9),
                share,
                "window",
                List.of(),
                List.of(),
                "",
                gain == 0 ? null : new Finding.Gain(0, Math.round(gain * 1e9), List.of()),
                "");
    }

    @Test
    void aRecordingThatLeavesTimeOutHasNoLatency() {
        TimelineFixture packed =
                TimelineFixture.blank().scope("main", 0, 100, "generate").property("samples_axis", "packed");
        Report report = new Analyzer().analyze(packed.build(), "packed");

        for (String format : List.of("console", "markdown", "html")) {
            assertThat(Rendered.as(format, report))
                    .contains("Length of the timeline")
                    .doesNotContain("End-to-end");
        }
    }

    @Test
    void aHeadWhoseDeviceWorkIsMissingIsNotPointedAt() {
        Report missing = new Analyzer()
                .analyze(
                        TimelineFixture.blank()
                                .kernel("7", 3_000, 6_000, "gemm")
                                .launchedBy("main", 0, 10)
                                .kernel("7", 6_000, 6_100, "gemm")
                                .launchedBy("main", 10, 12)
                                .build(),
                        "middle");

        assertThat(Rendered.as("console", missing))
                .contains("head 3.00 ms (49.2%), span")
                .doesNotContain("look here");
    }

    /** Everything before the figures, on one line. */
    private static String head(String format, Report report) {
        String text = Rendered.as(format, report);
        return text.substring(0, text.indexOf("End-to-end latency")).replaceAll("\\s+", " ");
    }

    @Test
    void aNoteIsNotCalledWrong() {
        Finding finding = ReportFixture.cpuOnly().findings().get(0);

        assertThat(Headline.label(finding)).isEqualTo("Wrong");
        assertThat(Headline.label(finding.atMostInfo())).isEqualTo("Note");
    }
}
