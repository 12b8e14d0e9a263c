package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class FindingOrderTest {
    /** Of 22 us in which the GPU is idle, 18 are preprocessing: what to change comes before the more severe sum. */
    @Test
    void aSumComesBehindTheFindingThatExplainsIt() {
        List<Finding> findings = findings("LL............[preprocess      ]..LL..............");

        assertThat(findings).extracting(Finding::rule).containsSubsequence("preprocessing-dominates", "gpu-idle");
        assertThat(severity(findings, "preprocessing-dominates")).isEqualTo(Severity.WARNING);
        assertThat(severity(findings, "gpu-idle")).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void aSumThatHasMoreOtherCausesStaysFirst() {
        List<Finding> findings = findings("LL............[tokenize].........LL..............");

        assertThat(findings).extracting(Finding::rule).containsSubsequence("gpu-idle", "preprocessing-dominates");
    }

    private static List<Finding> findings(String host) {
        return new Analyzer()
                .analyze(TimelineFixture.draw("""
                        us           0         10        20        30        40        50
                        thread main  HOST
                        stream 7     KKKKKKKKKKKKKK......................KKKKKKKKKKKKKK
                        links in order
                        """.replace("HOST", host)), "drawn")
                .findings();
    }

    private static Severity severity(List<Finding> findings, String rule) {
        return findings.stream()
                .filter(finding -> finding.rule().equals(rule))
                .findFirst()
                .orElseThrow()
                .severity();
    }
}
