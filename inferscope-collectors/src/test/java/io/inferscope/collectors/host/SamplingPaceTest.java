package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SamplingPaceTest {
    private final SamplingPace pace = new SamplingPace();

    @Test
    void cheapRoundsAreTakenEveryTenMilliseconds() {
        assertThat(after(100, 50_000)).isEqualTo(10_000_000);
    }

    @Test
    void dearRoundsAreStretchedToTheBudget() {
        assertThat(after(300, 800_000)).isBetween(39_000_000L, 40_000_000L); // 0.8 ms is 2 % of 40 ms.
    }

    @Test
    void periodHasALongestValue() {
        assertThat(after(300, 50_000_000)).isEqualTo(100_000_000);
        assertThat(pace.longestNs()).isEqualTo(100_000_000);
    }

    @Test
    void oneDisturbedRoundHardlyMatters() {
        after(300, 50_000);
        assertThat(pace.next(1_000_000)).isEqualTo(10_000_000);
    }

    private long after(int rounds, long costNs) {
        long periodNs = 0;
        for (int i = 0; i < rounds; i++) {
            periodNs = pace.next(costNs);
        }
        return periodNs;
    }
}
