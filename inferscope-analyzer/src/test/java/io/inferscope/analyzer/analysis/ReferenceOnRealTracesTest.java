package io.inferscope.analyzer.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every ledger of every real trace against the quadratic reference. */
@Tag("traces")
class ReferenceOnRealTracesTest {
    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void everyLedgerEqualsTheReference(Path trace) throws Exception {
        LedgerComparison.assertEqualToReference(SharedTraces.timeline(trace));
    }

    @Test
    void halvingStretchesChangesNothingInTheReference() throws Exception {
        Timeline timeline = SharedTraces.timeline(SharedTraces.kineto("a100-alexnet"));
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());

        assertThat(LedgerComparison.naive(analysis, 3))
                .usingRecursiveComparison()
                .isEqualTo(LedgerComparison.naive(analysis, Integer.MAX_VALUE));
    }
}
