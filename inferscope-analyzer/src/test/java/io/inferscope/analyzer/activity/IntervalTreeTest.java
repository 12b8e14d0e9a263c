package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IntervalTreeTest {
    @Test
    void findsWhatMeetsAStretchInTheOrderOfStarts() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            int count = random.nextInt(40);
            long[] starts = new long[count];
            long[] ends = new long[count];
            IntervalTree.Builder builder = new IntervalTree.Builder();
            for (int i = 0; i < count; i++) {
                starts[i] = random.nextInt(50);
                ends[i] = starts[i] + 1 + random.nextInt(random.nextInt(10) == 0 ? 60 : 8);
                builder.add(i, starts[i], ends[i]);
            }
            IntervalTree spans = builder.build();
            for (int j = 0; j < 20; j++) {
                long from = random.nextInt(110);
                long to = from + random.nextInt(20);
                List<Integer> found = new ArrayList<>();
                spans.meeting(from, to, found::add);
                assertThat(spans.meet(from, to)).as("seed " + seed).isEqualTo(!found.isEmpty());
                assertThat(found)
                        .as("seed " + seed)
                        .isEqualTo(IntStream.range(0, count)
                                .filter(i -> starts[i] < to && ends[i] > from)
                                .boxed()
                                .sorted((a, b) -> Long.compare(starts[a], starts[b]))
                                .toList());
                long least = random.nextInt(50);
                List<Integer> some = new ArrayList<>();
                spans.meetingUntil(least, from, to, id -> some.add(id) && some.size() == 2);
                assertThat(some)
                        .as("seed " + seed)
                        .isEqualTo(found.stream()
                                .filter(i -> starts[i] >= least)
                                .limit(2)
                                .toList());
            }
        }
    }

    /** The root ends last, so that only the way to it and the span itself are looked at. */
    @Test
    void aLongSpanDoesNotHideThatTheOthersAreOver() {
        IntervalTree.Builder builder = new IntervalTree.Builder().add(0, 0, 2_000_000);
        for (int i = 1; i < 1_000_000; i++) {
            builder.add(i, i, i + 1);
        }
        IntervalTree spans = builder.build();
        List<Integer> found = new ArrayList<>();
        for (int i = 1; i <= 100_000; i++) { // 10^11 steps if each looked at all that began before.
            spans.meeting(1_000_000 + i, 1_000_001 + i, found::add);
        }
        assertThat(found).hasSize(100_000).containsOnly(0);
    }
}
