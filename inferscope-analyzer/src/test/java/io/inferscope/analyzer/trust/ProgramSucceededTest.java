package io.inferscope.analyzer.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgramSucceededTest {
    /** An exception in Python, a missing command, a crash, an abort. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "127", "-11", "-6", "134"})
    void aProgramThatFailedHasNeitherVerdictNorAdvice(String code) {
        Report report = endedWith(code);

        assertThat(report.verdict().bound()).isEqualTo(Bound.WITHHELD);
        assertThat(report.verdict().claim()).contains("The program ");
        assertThat(report.findings()).isEmpty();
        assertThat(report.suggestions()).isEmpty();
        assertThat(report.trust())
                .filteredOn(check -> !check.passed())
                .extracting(TrustCheck::check)
                .containsExactly("program-succeeded");
    }

    /** Ctrl-C, SIGTERM, and the same through a shell. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "-2", "-15", "-9", "130", "143", ""})
    void oneThatWasEndedFromOutsideIsJudged(String code) {
        Report report = endedWith(code);

        assertThat(report.verdict().bound()).isEqualTo(Bound.CPU);
        assertThat(report.findings()).isNotEmpty();
    }

    /** Programs made with click or typer exit with 1 at Ctrl-C; others crash while they end. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "-11"})
    void oneThatFailedAfterTheUserEndedItIsJudgedAndSaysSo(String code) {
        Report report = endedWith(code, "SIGINT");

        assertThat(report.verdict().bound()).isEqualTo(Bound.CPU);
        assertThat(report.diagnosis().get(0)).startsWith("The program was interrupted by SIGINT");
    }

    private static Report endedWith(String code) {
        return endedWith(code, "");
    }

    private static Report endedWith(String code, String signal) {
        return new Analyzer()
                .analyze(
                        TimelineFixture.blank()
                                .scope("main", 0, 60, "tokenize")
                                .scope("main", 60, 100, "generate")
                                .property("inferscope.exit_code", code)
                                .property("run.ended_by", signal)
                                .build(),
                        "test");
    }
}
