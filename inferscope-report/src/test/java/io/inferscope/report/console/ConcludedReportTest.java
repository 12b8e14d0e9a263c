package io.inferscope.report.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.Rendered;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.RandomTimelines;
import io.inferscope.timeline.fixture.Seeds;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A report for the console alone lacks only what the console does not show. */
class ConcludedReportTest {
    static LongStream seeds() {
        return Seeds.upTo(40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theConsoleShowsTheSameWithoutTheTablesOfOtherFormats(long seed) {
        Timeline timeline = RandomTimelines.of(seed);

        Report concluded = new Analyzer().conclude(timeline, "random").report();

        assertThat(concluded.rows(Report.IDLE_BLAME)).isEmpty();
        assertThat(Rendered.as("console", concluded))
                .isEqualTo(Rendered.as("console", new Analyzer().analyze(timeline, "random")));
    }
}
