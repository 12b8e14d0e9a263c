package io.inferscope.report.scene;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LanesTest {
    private final Lanes track = new Lanes(Lanes.Kind.STREAM, "stream 7", "device 0", 16);

    /** The oracle looks at one lane after the other. */
    @Test
    void theFirstFreeLaneFromADepthOnIsFound() {
        long[] untilNs = new long[Lanes.MOST];
        Arrays.fill(untilNs, Long.MIN_VALUE);
        Random random = new Random(1);
        boolean full = false;
        for (int startNs = 0; startNs < 20_000; startNs++) {
            int least = random.nextInt(10) > 0 ? 0 : random.nextInt(Lanes.MOST + 10);
            int expected = Math.min(least, Lanes.MOST);
            while (expected < Lanes.MOST && untilNs[expected] > startNs) {
                expected++;
            }
            int found = track.free(least, startNs);

            assertThat(found).as("from %d on at %d", least, startNs).isEqualTo(expected);
            full |= found == Lanes.MOST && least == 0;
            if (found < Lanes.MOST) {
                untilNs[found] = startNs + random.nextInt(startNs < 10_000 ? 2_500 : 200);
                track.occupy(found, untilNs[found]);
            }
        }
        assertThat(full).isTrue();
    }

    @Test
    void beforeTheFirstEventEachLaneIsFree() {
        assertThat(track.free(0, Long.MIN_VALUE)).isZero();
        assertThat(track.free(7, Long.MIN_VALUE)).isEqualTo(7);
        assertThat(track.free(Lanes.MOST, 0)).isEqualTo(Lanes.MOST);
    }
}
