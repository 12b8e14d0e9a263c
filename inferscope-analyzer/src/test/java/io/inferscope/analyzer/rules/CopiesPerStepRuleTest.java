package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class CopiesPerStepRuleTest {
    private final Rule rule = new CopiesPerStepRule();

    /** Six steps of 500 us with so many copies to the device. */
    private static TimelineFixture steps(int copies) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 6; step++) {
            double atUs = 500.0 * step;
            fixture.scope("main", atUs, atUs + 490, "ProfilerStep#" + step);
            for (int i = 0; i < copies; i++) {
                fixture.h2d("7", atUs + 10 * i, atUs + 10 * i + 2, "Memcpy HtoD (Pinned -> Device)")
                        .bytes(4096);
            }
            fixture.kernel("7", atUs + 300, atUs + 490, "gemm").launchedBy("main", atUs + 290, atUs + 295);
        }
        return fixture;
    }

    @Test
    void manySmallCopiesAreReported() {
        Finding finding = found(rule, steps(20));

        assertThat(finding.claim())
                .startsWith(
                        "A step makes 20 copies to the device and 0 back (H2D: 4.00 KiB on average); no kernel hides 240 us");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.evidence()).contains(count("copies to the device per step, median", 20));
    }

    @Test
    void tenAreClean() {
        assertThat(clean(rule, steps(10))).isEqualTo("10 copies to the device and 0 back in a step");
    }
}
