package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class CopyHeavyRuleTest {
    private final Rule rule = new CopyHeavyRule();

    @Test
    void copiesCountWhetherTheyAreHiddenOrNot() {
        Finding finding = found(rule, """
                us        0         10        20
                bytes H = 1048576
                stream 7  KKKKKKKKKKKKKKKKKKKK
                stream 8  ...HHHHDD...........
                """);

        assertThat(finding.claim())
                .isEqualTo("Copies between host and device take 6.00 us, 30.0% of the span: 1 to the device (1.00 MiB),"
                        + " 1 back (0 B). Compute hides 100.0% of that.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void theWeightsAreNotMeant() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .h2d("7", 0, 1_500_000, "Memcpy HtoD (Pinned -> Device)")
                                .bytes(1_000_000)
                                .kernel("7", 1_500_000, 4_000_000, "gemm")
                                .h2d("8", 3_000_000, 3_010_000, "Memcpy HtoD (Pinned -> Device)")
                                .bytes(1_000)))
                .isEqualTo("copies between host and device take 0.3% of the span");
    }

    @Test
    void aShortProgramHasNoLoadOfItsOwn() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .h2d("7", 0, 100, "Memcpy HtoD (Pinned -> Device)")
                        .bytes(1_000_000)
                        .kernel("8", 20, 200, "gemm"));

        assertThat(finding.costNs()).isEqualTo(us(100));
    }
}
