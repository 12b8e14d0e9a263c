package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineCopy;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where the zero of a real trace's clock lies means nothing. */
@Tag("traces")
class ShiftedTracesTest {
    /** From about zero to a Unix time, and back below zero. */
    private static final long[] SHIFTS_NS = {1_763_697_600_123_456_789L, -7_777_777_777L};

    static List<Path> traces() {
        return SharedTraces.kineto();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void anotherOriginChangesNothingButTimes(Path trace) throws Exception {
        Timeline timeline = TimelineCopy.inOrder(CoreFormats.load(trace));
        Report report = new Analyzer().analyze(timeline, "trace");

        for (long shiftNs : SHIFTS_NS) {
            Report shifted = new Analyzer().analyze(TimelineCopy.shifted(timeline, shiftNs), "trace");
            assertThat(shifted.window().startNs()).isEqualTo(report.window().startNs() + shiftNs);
            assertThat(shifted)
                    .usingRecursiveComparison()
                    .withEqualsForType(Double::equals, Double.class)
                    .ignoringFieldsMatchingRegexes(".*\\b(startNs|endNs|firstNs|lastNs|peakNs)")
                    .isEqualTo(report);
        }
    }
}
