package io.inferscope.analyzer.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PathOverviewTest {
    private record Run(int track, int meaning, long startNs, long endNs) {}

    private static PathOverview of(List<Run> runs) {
        PathOverview overview = new PathOverview();
        runs.forEach(run -> overview.run(run.track, run.meaning, run.startNs, run.endNs));
        return overview;
    }

    private static List<Run> shown(List<Run> runs, int most) {
        List<Run> shown = new ArrayList<>();
        of(runs).show(most, (track, meaning, startNs, endNs) -> shown.add(new Run(track, meaning, startNs, endNs)));
        return shown;
    }

    private static Map<Integer, Long> sums(List<Run> runs) {
        Map<Integer, Long> sums = new HashMap<>();
        runs.forEach(run -> sums.merge(run.meaning, run.endNs - run.startNs, Long::sum));
        return sums;
    }

    @Test
    void fewRunsAreShownAsTheyAre() {
        List<Run> runs = List.of(new Run(1, 1, 5, 7), new Run(-1, 2, 7, 8), new Run(1, 1, 8, 20));

        assertThat(shown(runs, 3)).isEqualTo(runs);
        assertThat(shown(List.of(), 3)).isEmpty();
    }

    @Test
    void runsOfAShortIntervalArePutTogetherAndKeepTheirTime() {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            runs.add(new Run(1, 1 + i % 3, 10L * i, 10L * i + 10));
        }
        runs.add(new Run(2, 9, 100_000, 200_000)); // A long one stays what it is.

        List<Run> shown = shown(runs, 500);

        assertThat(shown).hasSizeBetween(100, 500);
        assertThat(sums(shown)).isEqualTo(sums(runs));
        assertThat(shown).contains(new Run(2, 9, 100_000, 200_000));
        for (int i = 1; i < shown.size(); i++) {
            assertThat(shown.get(i).startNs).isEqualTo(shown.get(i - 1).endNs);
        }
    }
}
