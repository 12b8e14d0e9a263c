package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineCopy;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ids and names that an operating system and a program give to processes and threads mean nothing. */
@Tag("traces")
class RenamedThreadsTest {
    private static final int SEEDS = 300;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void realTracesSayTheSameOfRenamedThreads(Path trace) throws Exception {
        RealTraces.Copied copied = RealTraces.copied(trace);
        assertSame(copied.timeline(), copied.report(), false);
        assertSame(copied.timeline(), copied.report(), true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void randomTimelinesSayTheSameOfRenamedThreads(boolean reversed) {
        RandomTimeline.forEachSeed(SEEDS, random -> {
            Timeline timeline = random.build();
            assertSame(timeline, analyze(timeline), reversed);
        });
    }

    @Test
    void aRenamingIsSeenInTheReport() {
        Timeline timeline = new RandomTimeline(1).build();
        Renaming renaming = new Renaming(timeline, false);

        assertThat(renaming.renamed("100")).isNotEqualTo("100");
        assertThat(analyze(TimelineCopy.renamed(timeline, renaming::renamed)).rows(Report.THREADS))
                .allSatisfy(thread -> assertThat(thread.thread()).contains("thread 9000000"));
    }

    private static void assertSame(Timeline timeline, Report report, boolean reversed) {
        Renaming renaming = new Renaming(timeline, reversed);
        Report renamed = new Analyzer().analyze(TimelineCopy.renamed(timeline, renaming::renamed), report.title());

        List<String> lines = renaming.lines(report);
        List<String> other = renaming.lines(renamed);
        Set<String> known = new HashSet<>(lines);
        assertThat(other.stream().filter(line -> !known.contains(line)))
                .as("said of renamed threads alone")
                .isEmpty();
        assertThat(other).isEqualTo(lines);
        assertThat(renamed.findings().stream().map(Finding::rule))
                .containsExactlyElementsOf(
                        report.findings().stream().map(Finding::rule).toList());
    }

    private static Report analyze(Timeline timeline) {
        return new Analyzer().analyze(timeline, "renamed");
    }
}
