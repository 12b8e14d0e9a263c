package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.RandomTimelines;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a timeline holds, an analysis comes to its end: converted traces can hold anything. */
class OddTimelinesTest {
    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anyTimelineIsExplained(long seed) {
        Timeline timeline = RandomTimelines.of(seed);
        assertThat(new Analyzer().analyze(timeline, "odd")).isNotNull();
    }
}
