package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.LinuxKernel;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class RoundTimerTest {
    private final RoundTimer rhythm = new RoundTimer(new LinuxKernel());

    @Test
    void periodsVaryByATenthAndKeepTheirMean() {
        long[] periods =
                LongStream.range(0, 10_000).map(i -> rhythm.varied(10_000_000)).toArray();
        assertThat(LongStream.of(periods).min().orElse(0)).isGreaterThanOrEqualTo(9_000_000);
        assertThat(LongStream.of(periods).max().orElse(0)).isLessThanOrEqualTo(11_000_000);
        assertThat(LongStream.of(periods).average().orElse(0)).isBetween(9_980_000.0, 10_020_000.0);
        assertThat(LongStream.of(periods).distinct().count()).isGreaterThan(9_000);
    }

    @Test
    void roundThatIsLongPastDueDoesNotWait() {
        long beforeNs = System.nanoTime();
        rhythm.await(beforeNs - 60_000_000_000L, 30_000_000_000L);
        assertThat(System.nanoTime() - beforeNs).isLessThan(30_000_000_000L);
    }
}
