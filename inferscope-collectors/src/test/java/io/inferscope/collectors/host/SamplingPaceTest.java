package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SamplingPaceTest {
    private final SamplingPace pace = new SamplingPace(0.02, 100);

    @Test
    void cheapRoundsAreTakenEveryTenMilliseconds() {
        assertThat(after(pace, 100, 50_000)).isEqualTo(10_000_000);
    }

    @Test
    void cheapRoundsAreTakenAsOftenAsIsAskedFor() {
        assertThat(after(new SamplingPace(1, 1000), 100, 50_000)).isEqualTo(1_000_000);
        assertThat(after(new SamplingPace(1, 20), 100, 50_000)).isEqualTo(50_000_000);
    }

    @Test
    void dearRoundsAreStretchedToTheBudget() {
        assertThat(after(pace, 300, 800_000)).isBetween(39_000_000L, 40_000_000L); // 0.8 ms is 2 % of 40 ms.
    }

    @Test
    void smallerBudgetMeansALongerPeriod() {
        assertThat(after(new SamplingPace(0.005, 100), 300, 800_000)).isBetween(158_000_000L, 161_000_000L);
    }

    @Test
    void whatTheProcessDoesBesideComesOutOfTheSameBudget() {
        after(pace, 100, 800_000);
        for (int second = 0; second < 60; second++) {
            pace.beside(5_000_000, 1_000_000_000); // 0.5 % leaves 1.5 %.
        }
        assertThat(after(pace, 300, 800_000)).isBetween(52_000_000L, 53_500_000L);
    }

    @Test
    void restThatAloneIsAboveTheBudgetDoesNotStopSampling() {
        after(pace, 100, 800_000);
        for (int second = 0; second < 60; second++) {
            pace.beside(500_000_000, 1_000_000_000);
        }
        assertThat(after(pace, 300, 800_000)).isBetween(79_000_000L, 80_000_000L);
    }

    @Test
    void periodHasALongestValue() {
        assertThat(after(pace, 300, 50_000_000)).isEqualTo(1_000_000_000);
    }

    @Test
    void firstRoundsAreTakenOftenButNotAtAnyPrice() {
        assertThat(after(pace, 40, 1_000_000)).isEqualTo(20_000_000);
        assertThat(after(new SamplingPace(0.02, 100), 49, 20_000_000)).isBetween(95_000_000L, 100_000_000L);
    }

    @Test
    void oneDisturbedRoundHardlyMatters() {
        after(pace, 300, 50_000);
        assertThat(pace.next(1_000_000, 10_000_000)).isEqualTo(10_000_000);
    }

    @ParameterizedTest
    @CsvSource({"1%, 0.01", "0.5 %, 0.005", "2, 0.02", "100%, 1"})
    void overheadIsPercentOfACore(String text, double ratio) {
        assertThat(HostOptions.overheadRatio(text)).isEqualTo(ratio);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%", "0", "-1%", "101%", "NaN", "much"})
    void otherOverheadsAreRefusedWithAnExample(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostOptions.overheadRatio(text))
                .withMessageContaining("1%");
    }

    @Test
    void aLongRunIsSampledTenTimesASecondUnlessMoreIsWanted() {
        assertThat(after(new SamplingPace(0.03, 100, true), 900, 900_000)).isEqualTo(30_000_000);
        assertThat(after(new SamplingPace(0.03, 100, true), 1_100, 900_000)).isEqualTo(100_000_000);
        assertThat(after(new SamplingPace(0.03, 100, true), 1_100, 6_000_000)).isEqualTo(200_000_000);
        assertThat(after(new SamplingPace(0.03, 100, false), 1_100, 900_000)).isEqualTo(30_000_000);
        assertThat(HostOptions.DEFAULT.settles()).isTrue();
        assertThat(new HostOptions(0.1, HostOptions.DEFAULT_RATE_HZ, false, false, 0, 0).settles())
                .isFalse();
        assertThat(new HostOptions(0.03, 50, false, false, 0, 0).settles()).isFalse();
    }

    /**
     * As under a hypervisor whose page tables shadow those of the guest, while the kernel looks which pages are used: a
     * round costs 0.3 ms, and 4 % of the time since the last one up to 30 ms, for the pages that it finds marked.
     */
    @Test
    void pagesThatGoColdBetweenRoundsDoNotMakeTheRoundsFew() {
        SamplingPace often = new SamplingPace(0.03, 100);
        RoundTimer timer = new RoundTimer(null);
        long sumNs = 0;
        long sinceNs = 20_000_000;
        for (int i = 0; i < 1_000; i++) {
            boolean coldJvm = i < 50;
            long costNs = 300_000 + Math.min(30_000_000, sinceNs / 25) + (coldJvm ? 3_000_000 : 0);
            sinceNs = timer.varied(often.next(costNs, sinceNs));
            sumNs += i < 200 ? 0 : sinceNs;
        }
        assertThat(sumNs / 800).isBetween(10_000_000L, 40_000_000L);
    }

    @Test
    void roundsBecomeFrequentAgainAfterTheyWereRare() {
        SamplingPace again = new SamplingPace(0.03, 100);
        RoundTimer timer = new RoundTimer(null);
        long sinceNs = 20_000_000;
        for (int i = 0; i < 400; i++) {
            long disturbedNs = i > 100 && i < 200 ? 40_000_000 : 0;
            sinceNs = timer.varied(again.next(300_000 + Math.min(30_000_000, sinceNs / 25) + disturbedNs, sinceNs));
        }
        assertThat(sinceNs).isLessThan(60_000_000);
    }

    @Test
    void periodsThatDoNotVaryTellNoSlope() {
        for (int i = 0; i < 300; i++) {
            pace.next(i % 2 == 0 ? 600_000 : 1_000_000, i % 2 == 0 ? 39_900_000 : 40_100_000);
        }
        assertThat(pace.next(600_000, 40_000_000)).isGreaterThan(30_000_000);
    }

    private static long after(SamplingPace pace, int rounds, long costNs) {
        long periodNs = 0;
        for (int i = 0; i < rounds; i++) {
            periodNs = pace.next(costNs, periodNs);
        }
        return periodNs;
    }
}
