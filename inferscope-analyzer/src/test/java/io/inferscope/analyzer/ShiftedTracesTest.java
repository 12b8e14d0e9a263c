package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report;
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
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void anotherOriginChangesNothingButTimes(Path trace) throws Exception {
        RealTraces.Copied copied = RealTraces.copied(trace);

        for (long shiftNs : SHIFTS_NS) {
            Report shifted =
                    new Analyzer().analyze(TimelineCopy.shifted(copied.timeline(), shiftNs), RealTraces.name(trace));
            assertThat(shifted.window().startNs())
                    .isEqualTo(copied.report().window().startNs() + shiftNs);
            SameValue.assertSame(shifted, copied.report(), "startNs", "endNs", "firstNs", "lastNs", "peakNs");
        }
    }
}
