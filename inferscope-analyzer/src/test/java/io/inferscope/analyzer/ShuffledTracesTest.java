package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineCopy;
import io.inferscope.timeline.fixture.TimelineDump;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order in which a recorder happens to write its events means nothing. */
@Tag("traces")
class ShuffledTracesTest {
    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void shuffledEventsGiveTheSameTimelineAndTheSameReport(Path trace) throws Exception {
        RealTraces.Copied copied = RealTraces.copied(trace);
        Timeline shuffled = TimelineCopy.shuffled(copied.timeline(), 4711);

        assertThat(TimelineDump.of(shuffled).equals(TimelineDump.of(copied.timeline())))
                .isTrue();
        SameValue.assertSame(new Analyzer().analyze(shuffled, RealTraces.name(trace)), copied.report());
    }
}
