package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** What a line of the program costs can be saved; what calls of a model cost is left in part, whatever helps. */
    @Test
    void whatCanBeSavedComesBeforeALittleMoreThatIsPartlyLeft() {
        List<Finding> findings =
                new Analyzer().analyze(TimelineFixture.draw("""
                us           0         10        20        30        40        50        60        70
                thread main  "torch/nn/modules/module.py(9): c"<aten::mm>[preprocess                   ]
                """), "drawn").findings();

        assertThat(findings)
                .extracting(Finding::rule)
                .containsSubsequence("preprocessing-dominates", "framework-dominates");
        assertThat(findings.get(0).costNs()).isLessThan(findings.get(1).costNs());
    }

    /** A start that happens once comes after a note on what each step does. */
    @Test
    void notesOnTheSteadyStateComeBeforeThoseOnTheStart() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 900, "import torch").activity(RangeActivity.LOAD);
        for (int us = 900; us < 2_100; us += 30) {
            fixture.scope("main", us, us + 27, "forward Model")
                    .activity(RangeActivity.MODEL)
                    .scope("main", us + 27, us + 30, "json.dumps");
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "drawn").findings();

        assertThat(findings).extracting(Finding::rule).containsSubsequence("output-bound", "compile-load");
        assertThat(severity(findings, "output-bound")).isEqualTo(severity(findings, "compile-load"));
    }

    /** A line before the loop: the user waited most for it only if it took longer than the whole loop. */
    @ParameterizedTest
    @CsvSource({"500, true", "300, false"})
    void aLineThatTookLongerThanTheWholeJudgedPartComesFirst(int beforeMs, boolean first) {
        TimelineFixture fixture = TimelineFixture.blank();
        int us = 0;
        for (; us < 1000 * beforeMs; us += 1000) {
            fixture.sample("main", us, us + 1000, "/app/frame.py(7): clean");
        }
        for (int pass = 0; pass < 40; pass++, us += 10_000) {
            fixture.scope("main", us, us + 2_000, "forward Model")
                    .activity(RangeActivity.MODEL)
                    .scope("main", us + 2_000, us + 9_900, "tokenize")
                    .activity(RangeActivity.TOKENIZATION);
        }
        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "drawn").findings();

        assertThat(findings).extracting(Finding::rule).contains(Finding.PLACE, "preprocessing-dominates");
        assertThat(findings.get(0).rule().equals(Finding.PLACE)).isEqualTo(first);
    }

    /** The head is longer than what the context takes, but removing that is all that both findings claim. */
    @Test
    void aFindingThatClaimsTheSameForTheSameCauseIsDropped() {
        List<Finding> findings = new Analyzer()
                .analyze(
                        TimelineFixture.blank()
                                .call("main", 0, 30_000, "cudaMalloc")
                                .kernel("7", 40_000, 41_000, "reduce")
                                .launchedBy("main", 39_990, 39_995, "cudaLaunchKernel")
                                .build(),
                        "drawn")
                .findings();

        assertThat(findings).extracting(Finding::rule).contains("outside-span").doesNotContain("compile-load");
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
