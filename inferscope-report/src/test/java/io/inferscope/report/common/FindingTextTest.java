package io.inferscope.report.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FindingTextTest {
    private final Report report = new Analyzer()
            .analyze(TimelineFixture.blank().python("main", 0, 10, "a.py(1): f").build(), "t");

    /** A line is more than a function, but not if less time was spent there. */
    @ParameterizedTest
    @CsvSource({
        "build [p], 100, b.cpp:9 build [p], 40, b.cpp:9 build [p]",
        "build [p], 100, s.cpp:3 score [p], 40, build [p]",
        "build [p], 100, s.cpp:3 score [p], 95, s.cpp:3 score [p]",
        "a.cpp:7 build [p], 100, s.cpp:3 score [p], 200, a.cpp:7 build [p]",
    })
    void aSmallerCauseIsNotThePlaceBecauseItHasALine(String first, long ns, String second, long otherNs, String where) {
        Finding finding = report.findings().get(0);
        Finding other = new Finding(
                finding.rule(),
                finding.severity(),
                finding.claim(),
                ns,
                0.5,
                finding.of(),
                finding.causes(),
                List.of(new Evidence.Place("x", first, ns, 1), new Evidence.Place("y", second, otherNs, 1)),
                "",
                null,
                "");

        assertThat(new FindingText(report, other).where()).contains(where);
    }

    @ParameterizedTest
    @CsvSource({
        "3, 4, '3 ns to 4 ns; with waits that it causes, beyond its own 2 ns: why'",
        "1, 4, 1 ns to 4 ns",
    })
    void aGainThatIsCertainlyMoreThanTheCostSaysWhyInEachFormat(long lowNs, long highNs, String said) {
        Gain gain = new Gain(lowNs, highNs, List.of("at least: a", Gain.BEYOND + "2 ns: why"));
        Finding finding =
                new Finding("r", Finding.Severity.INFO, "Slow.", 2, 0.5, "", List.of(), List.of(), "", gain, "");

        assertThat(new FindingText(report, finding).gainWithoutAssumptions().plain())
                .isEqualTo(said);
    }
}
