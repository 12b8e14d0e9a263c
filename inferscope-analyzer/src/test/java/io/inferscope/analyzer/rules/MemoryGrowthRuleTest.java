package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class MemoryGrowthRuleTest {
    private static final String CLEAN =
            "memory does not keep growing in the part of the recording that follows its start";

    private final Rule rule = new MemoryGrowthRule();

    /** Forty readings, a second apart, of a program of which nothing says what it loads. */
    private static Timeline memory(IntToDoubleFunction gigabytes) {
        return readings(TimelineFixture.blank().scope("main", 0, 40_000_000, "serve"), gigabytes);
    }

    private static Timeline readings(TimelineFixture fixture, IntToDoubleFunction gigabytes) {
        for (int i = 0; i < 40; i++) {
            fixture.counter("host.rss_bytes", 1_000_000.0 * i, gigabytes.applyAsDouble(i) * 1e9);
        }
        return fixture.build();
    }

    @Test
    void memoryThatGrowsThroughoutIsReported() {
        Finding finding = found(rule, memory(i -> 1 + 0.1 * i));

        assertThat(finding.claim())
                .contains(
                        "keeps growing: by 1.77 GiB within 19.0 s of the part of the recording that follows its start, to 4.56 GiB");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void aStartThatFillsMemoryIsClean() {
        assertThat(clean(rule, memory(i -> Math.min(16, i)))).isEqualTo(CLEAN);
    }

    @Test
    void aStartOfTwoThirdsIsClean() {
        assertThat(clean(rule, memory(i -> Math.min(1 + 0.1 * i, 3.6) + 1e-6 * i)))
                .isEqualTo(CLEAN);
    }

    @Test
    void aSingleStepIsNoGrowth() {
        assertThat(clean(rule, memory(i -> i < 30 ? 1 : 2))).isEqualTo(CLEAN);
    }

    @Test
    void whatALoadBringsIsItsStart() {
        TimelineFixture loading = TimelineFixture.blank()
                .scope("main", 0, 33_000_000, "load_model")
                .activity(RangeActivity.LOAD)
                .scope("main", 33_000_000, 40_000_000, "serve");

        assertThat(notApplicable(rule, readings(loading, i -> 1 + 0.1 * i)))
                .isEqualTo("no process' memory is recorded for long enough after its start");
    }

    @Test
    void theSteadyStateIsJudgedWhereThereIsOne() {
        assertThat(clean(rule, steps(i -> Math.min(30, i))))
                .isEqualTo("memory does not keep growing in the steady state");
        assertThat(found(rule, steps(i -> 30 + 0.2 * i)).claim()).contains("of the steady state");
    }

    /** A start of 20 s, and 40 steps of 0.5 s. */
    private static Timeline steps(IntToDoubleFunction gigabytes) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 20_000_000, "load_model");
        for (int i = 0; i < 40; i++) {
            fixture.scope("main", 20_000_000 + 500_000.0 * i, 20_490_000 + 500_000.0 * i, "decode_step");
        }
        return readings(fixture, gigabytes);
    }

    @Test
    void aShortRecordingSaysNothing() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank()
                                .scope("main", 0, 100, "serve")
                                .counter("host.rss_bytes", 10, 1)
                                .counter("host.rss_bytes", 90, 2)))
                .isEqualTo("no process' memory is recorded for long enough after its start");
    }
}
