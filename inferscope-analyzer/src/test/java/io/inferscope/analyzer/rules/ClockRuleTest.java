package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClockRuleTest {
    /** The highest clock. */
    static final double MOST_HZ = 2e9;

    /** A device that computes for 100 ms, and is idle after that. */
    static TimelineFixture computing() {
        return TimelineFixture.blank().kernel("7", 0, 100_000, "gemm").launchedBy("main", 0, 5);
    }

    /**
     * Returns it with ten readings of the driver's counters meanwhile.
     *
     * @param held of ten readings of the busy device, in how many the clock has these reasons, beginning with the first
     * @param reasons bits
     * @param heldHz the clock then; the highest at other times
     */
    private static Timeline clocks(int held, long reasons, double heldHz) {
        TimelineFixture fixture = computing();
        count(fixture, DeviceCounters.SM_CLOCK_MOST, 0, MOST_HZ);
        for (int i = 0; i < 10; i++) {
            read(fixture, 5_000 + 10_000 * i, 1, i < held ? reasons : 0, i < held ? heldHz : MOST_HZ);
        }
        read(fixture, 150_000, 0, 1, 2e8);
        return fixture.build();
    }

    private static void read(TimelineFixture fixture, double atUs, double utilisation, long reasons, double clockHz) {
        count(fixture, DeviceCounters.UTILISATION, atUs, utilisation);
        count(fixture, DeviceCounters.CLOCK_REASONS, atUs, (double) reasons);
        count(fixture, DeviceCounters.SM_CLOCK, atUs, clockHz);
    }

    static void count(TimelineFixture fixture, String counter, double atUs, double value) {
        fixture.counter(DeviceCounters.key(counter, "0"), atUs, value);
    }

    @Test
    void heatCostsWhatTheClockLacks() {
        Finding finding = found(ClockRule.HELD_DOWN, clocks(8, 0x20, 1e9));

        assertThat(finding.claim())
                .isEqualTo(
                        "The device's clock was held down by heat or by the hardware for 80.0% of the time in which it was"
                                + " busy: 1,000 MHz of 2,000 MHz. That costs at most 40.0 ms (40.0% of the span), if its kernels are"
                                + " bound by arithmetic.");
        assertThat(finding.costNs()).isEqualTo(us(40_000));
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
    }

    @ParameterizedTest
    @ValueSource(longs = {0x8, 0x20, 0x40, 0x80, 0x44})
    void eachReasonOfHeatAndHardwareCounts(long reasons) {
        found(ClockRule.HELD_DOWN, clocks(10, reasons, 1e9));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 0x1, 0x2, 0x4, 0x10, 0x100})
    void noOtherReasonDoes(long reasons) {
        assertThat(clean(ClockRule.HELD_DOWN, clocks(10, reasons, 1e9)))
                .isEqualTo("clocks held down by heat or by the hardware for 0.0% of the readings of the busy device");
    }

    @Test
    void onceIsNothing() {
        assertThat(clean(ClockRule.HELD_DOWN, clocks(1, 0x40, 1e9))).contains("for 10.0% of the readings");
    }

    @Test
    void aPowerLimitIsInformationWhateverItCosts() {
        Finding finding = found(ClockRule.POWER_CAPPED, clocks(10, 0x4, 1e9));

        assertThat(finding.claim()).startsWith("The device's clock was held down by the power limit for 100.0%");
        assertThat(finding.costNs()).isEqualTo(us(50_000));
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(clean(ClockRule.POWER_CAPPED, clocks(10, 0x20, 1e9))).contains("for 0.0% of the readings");
    }

    @Test
    void aClockThatWasSetLowIsReported() {
        Finding finding = found(ClockRule.LOW, clocks(10, 0x2, 1.2e9));

        assertThat(finding.claim()).contains("1,200 MHz of 2,000 MHz", "at most 40.0 ms (40.0% of the span)");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.advice()).contains("nvidia-smi -rgc");
    }

    @Test
    void aClockThatIsNearTheHighestOrHeldDownIsNotLowByItself() {
        assertThat(clean(ClockRule.LOW, clocks(10, 0, 1.8e9))).contains("at 90.0% of the highest");
        assertThat(clean(ClockRule.LOW, clocks(10, 0x4, 1e9))).contains("for 0.0% of the readings");
    }

    static List<Rule> rules() {
        return List.of(ClockRule.HELD_DOWN, ClockRule.POWER_CAPPED, ClockRule.LOW);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void whatIsNotRecordedIsNotJudged(Rule rule) {
        assertThat(notApplicable(rule, computing())).contains("not recorded");
    }
}
