package io.inferscope.analyzer.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.RandomTimeline;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.graph.ArcKind;
import io.inferscope.analyzer.graph.DependencyGraph;
import io.inferscope.analyzer.model.FigureTables;
import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for the replay of every timeline. */
@Tag("traces")
class ReplayTest {
    private static final int SEEDS = 500;
    private static final int PICKS = 20;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void realTracesReplay(Path trace) throws Exception {
        check(SharedTraces.timeline(trace), 17);
    }

    @Test
    void randomTimelinesReplay() {
        RandomTimeline.forEachSeed(SEEDS, random -> check(random.build(), 4));
    }

    private static void check(Timeline timeline, long seed) {
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        DependencyGraph graph = CriticalPath.of(analysis).graph();
        long[] unchanged = new long[graph.arcCount()];
        assertThat(graph.makespanNs()).isEqualTo(analysis.window().durationNs());
        assertThat(graph.replayNs(unchanged)).as("replay of nothing changed").isEqualTo(graph.makespanNs());

        int[] path = graph.criticalPath();
        long pathNs = 0;
        for (int arc : path) {
            pathNs += graph.lagNs(arc);
        }
        assertThat(pathNs).isEqualTo(graph.makespanNs());
        FigureTables tables = Tables.of(analysis).path();
        assertThat(tables.rows(PathTables.CLASSES).stream()
                        .mapToLong(PathTables.ClassTime::ns)
                        .sum())
                .isEqualTo(tables.notesOnTables().path().pathNs());
        longer(graph, path, new Random(seed));
    }

    /** Something on the path that takes longer by d makes the whole longer by d; something with more slack than d does not. */
    private static void longer(DependencyGraph graph, int[] path, Random random) {
        long[] slacks = graph.slacksNs();
        for (int pick = 0; pick < PICKS && graph.makespanNs() > 0; pick++) {
            long longerNs = 1L + random.nextInt(50_000);
            long[] saved = new long[graph.arcCount()];
            int onPath = path[random.nextInt(path.length)];
            saved[onPath] = -longerNs;
            assertThat(slacks[onPath]).isZero();
            assertThat(graph.replayNs(saved)).isEqualTo(graph.makespanNs() + longerNs);

            int any = random.nextInt(graph.arcCount());
            saved[onPath] = 0;
            saved[any] = -longerNs;
            boolean own = graph.kind(any) == ArcKind.OPERATION || graph.kind(any) == ArcKind.PROGRAM;
            long expectedNs = slacks[any] > longerNs ? 0 : longerNs - slacks[any];
            assertThat(graph.replayNs(saved))
                    .as(own ? "work" : "a dependency")
                    .isEqualTo(graph.makespanNs() + expectedNs);
        }
    }
}
