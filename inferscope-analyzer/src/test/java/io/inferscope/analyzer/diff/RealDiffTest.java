package io.inferscope.analyzer.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Comparison.Outcome;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Comparisons of real traces. */
@Tag("traces")
class RealDiffTest {
    private static final int SMALL_BYTES = 100_000;

    static List<Path> small() {
        return SharedTraces.kineto().stream().filter(RealDiffTest::isSmall).toList();
    }

    private static boolean isSmall(Path trace) {
        try {
            return Files.size(trace) < SMALL_BYTES;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("small")
    void theOrderOfEventsIsNoChange(Path trace) throws Exception {
        Timeline timeline = TimelineCopy.inOrder(SharedTraces.timeline(trace));
        Comparison comparison = Diff.of(side(timeline), side(TimelineCopy.shuffled(timeline, 4711)));

        assertThat(comparison.outcome()).isEqualTo(Outcome.SAME);
        assertThat(comparison.groups())
                .flatExtracting(Group::changes)
                .allSatisfy(change -> assertThat(change.isSame()).isTrue());
    }

    @Test
    void stepsOfARealTraceAreItsUnit() throws Exception {
        Side side = side(SharedTraces.timeline(SharedTraces.kineto("a100-trace-diff-control")));
        Comparison comparison = Diff.of(side, side);

        assertThat(comparison.outcome()).isEqualTo(Outcome.SAME);
        assertThat(comparison.unit()).isEqualTo(WorkUnit.STEP);
        assertThat(comparison.pace().id()).isEqualTo("ProfilerStep");
        double ledgerNs = group(comparison, "ledger").stream()
                .mapToDouble(Change::afterNs)
                .sum();
        assertThat(ledgerNs * comparison.after().units())
                .isCloseTo((double) side.report().ledgers().get(0).durationNs(), within(1_000.0));
    }

    private static List<Change> group(Comparison comparison, String id) {
        return comparison.groups().stream()
                .filter(group -> group.id().equals(id))
                .findFirst()
                .orElseThrow()
                .changes();
    }

    private static Side side(Timeline timeline) {
        return Side.of(new Analyzer(), timeline, "trace");
    }
}
