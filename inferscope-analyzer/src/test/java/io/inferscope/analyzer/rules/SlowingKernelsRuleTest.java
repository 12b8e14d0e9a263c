package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class SlowingKernelsRuleTest {
    private static final int ROUNDS = 40;

    private final Rule rule = new SlowingKernelsRule();

    /** Rounds of four kernels, whose lengths in us depend on kernel and round. */
    private static TimelineFixture rounds(IntToDoubleFunction first, IntToDoubleFunction others, double besideUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        double fromUs = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int kernel = 0; kernel < 4; kernel++) {
                double us = (kernel == 0 ? first : others).applyAsDouble(round);
                fixture.kernel("7", fromUs, fromUs + us, "gemm" + kernel)
                        .attribute(Attribute.GRID_BLOCKS, 96)
                        .attribute(Attribute.BLOCK_THREADS, 128);
                if (besideUs > 0) {
                    fixture.kernel("8", fromUs + 1, fromUs + 1 + besideUs, "copy");
                }
                fromUs += us;
            }
        }
        return fixture;
    }

    @Test
    void aClockThatFallsMakesAllKernelsSlower() {
        Finding finding = found(rule, rounds(round -> round < 20 ? 100 : 125, round -> round < 20 ? 40 : 50, 0));

        assertThat(finding.claim()).contains("take 25.0% longer at the end", "(100.0% of the time");
        assertThat(finding.costNs()).isEqualTo(us(20 * (25 + 3 * 10)));
        assertThat(finding.places()).startsWith("gemm0");
    }

    @Test
    void aKernelWhoseWorkGrowsIsNotTheDevice() {
        assertThat(clean(rule, rounds(round -> 100 + 5 * round, round -> 40, 0)))
                .contains("is of kernels that got slower");
    }

    @Test
    void aDeviceThatGetsFasterCostsNothing() {
        assertThat(clean(rule, rounds(round -> round < 20 ? 125 : 100, round -> round < 20 ? 50 : 40, 0)))
                .contains("0.0%");
    }

    @Test
    void kernelsBesideOthersShareTheDevice() {
        assertThat(clean(rule, rounds(round -> round < 20 ? 100 : 125, round -> round < 20 ? 40 : 50, 20)))
                .isNotEmpty();
    }

    @Test
    void kernelsOfUnknownShapeCannotBeCompared() {
        TimelineFixture fixture = TimelineFixture.blank().kernel("7", 0, 900, "gemm");

        assertThat(notApplicable(rule, fixture)).contains("launch configurations");
    }
}
