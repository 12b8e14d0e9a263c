package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.LinuxSystem;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class RoundTimerTest {
    private final RoundTimer rhythm = new RoundTimer(new LinuxSystem());

    @Test
    void periodsVaryByHalfAndKeepTheirMean() {
        long[] periods =
                LongStream.range(0, 10_000).map(i -> rhythm.varied(10_000_000)).toArray();
        assertThat(LongStream.of(periods).min().orElse(0)).isGreaterThanOrEqualTo(5_000_000);
        assertThat(LongStream.of(periods).max().orElse(0)).isLessThanOrEqualTo(15_000_000);
        assertThat(LongStream.of(periods).average().orElse(0)).isBetween(9_900_000.0, 10_100_000.0);
        assertThat(LongStream.of(periods).distinct().count()).isGreaterThan(9_000);
    }

    /** Three tenths of each step of 10 ms are one thing; 330 samples, 10 ms apart, see that, within their error of 5 points. */
    @Test
    void aProgramWithTheSamplersRhythmIsSeenAtAllBeats() {
        for (int begin = 0; begin < 10; begin++) {
            long atNs = begin * 1_000_000L;
            int seen = 0;
            for (int i = 0; i < 330; i++) {
                seen += atNs % 10_000_000 < 3_000_000 ? 1 : 0;
                atNs += rhythm.varied(10_000_000);
            }
            assertThat(seen / 330.0).isBetween(0.22, 0.38);
        }
    }

    @Test
    void roundThatIsLongPastDueDoesNotWait() {
        long beforeNs = System.nanoTime();
        rhythm.await(beforeNs - 60_000_000_000L, 30_000_000_000L);
        assertThat(System.nanoTime() - beforeNs).isLessThan(30_000_000_000L);
    }
}
