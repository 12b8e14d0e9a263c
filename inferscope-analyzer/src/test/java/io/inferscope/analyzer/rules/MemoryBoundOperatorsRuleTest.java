package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class MemoryBoundOperatorsRuleTest {
    private final Rule rule = new MemoryBoundOperatorsRule();

    @Test
    void reportsAModelThatWaitsForMemory() {
        Finding finding = found(rule, counted(1_000, 500, 10));

        assertThat(finding.claim())
                .isEqualTo(
                        "The model computes for 80.0 us, 80.0% of the window, at 0.50 instructions per cycle and 20.0 misses of the last cache per"
                                + " thousand instructions: its operators wait for memory rather than compute.");
        assertThat(finding.advice()).contains("torch.bfloat16");
        assertThat(finding.evidence())
                .as("10 lines of 64 bytes in 100 us")
                .contains(new Evidence.Quantity(
                        "read from memory per second of CPU time, at least", 6_400_000, "bytes/s"));
    }

    @Test
    void coresThatComputeAreClean() {
        assertThat(clean(rule, counted(1_000, 2_500, 50)))
                .isEqualTo(
                        "2.50 instructions per cycle, 20.0 cache misses per thousand of them; the model computes 80.0% of the window");
    }

    @Test
    void slowCodeThatHitsTheCachesIsClean() {
        assertThat(clean(rule, counted(1_000, 500, 1))).startsWith("0.50 instructions per cycle, 2.0 cache misses");
    }

    @Test
    void withoutCountersItSaysNothing() {
        assertThat(notApplicable(rule, model())).contains("--perf");
    }

    private static TimelineFixture counted(double cycles, double instructions, double misses) {
        return model().counter("perf.cycles", 50, cycles / 2)
                .counter("perf.cycles", 100, cycles)
                .counter("perf.instructions", 50, instructions / 2)
                .counter("perf.instructions", 100, instructions)
                .counter("perf.cache_misses", 50, misses / 2)
                .counter("perf.cache_misses", 100, misses);
    }

    private static TimelineFixture model() {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .scope("main", 20, 100, "forward Net")
                .activity(RangeActivity.MODEL)
                .state("main", 0, 100, 100, 0, WaitReason.UNKNOWN);
    }
}
