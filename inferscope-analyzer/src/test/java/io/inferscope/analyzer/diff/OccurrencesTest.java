package io.inferscope.analyzer.diff;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OccurrencesTest {
    private static final RowKind[] KINDS = {
        RowKind.OPERATOR, RowKind.ANNOTATION, RowKind.PYTHON_FUNCTION, RowKind.STACK_SAMPLE, RowKind.THREAD_STATE
    };

    /** The oracle walks outwards from each row. Rows overlap, some have no length, and samples reach beyond what is around them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void rowsInsideOnesOfTheSameKindAndNameDoNotCount(int seed) {
        Timeline timeline = random(new Random(seed));
        Map<String, Integer> expected = new TreeMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.OPERATOR && !isRecursive(timeline, row)) {
                expected.merge(timeline.name(row), 1, Integer::sum);
            }
        }
        Map<String, Integer> found = new TreeMap<>();
        Occurrences.of(timeline, new Stretch(0, 10_000), kind -> kind == RowKind.OPERATOR, name -> name)
                .forEach((name, durations) -> found.put(name, (int) durations.count()));

        assertThat(found).isEqualTo(expected);
        assertThat(expected.values().stream().mapToInt(Integer::intValue).sum()).isLessThan((int) rows(timeline));
    }

    private static long rows(Timeline timeline) {
        long rows = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            rows += timeline.kind(row) == RowKind.OPERATOR ? 1 : 0;
        }
        return rows;
    }

    private static boolean isRecursive(Timeline timeline, int row) {
        int outer = timeline.parent(row);
        while (outer >= 0
                && (timeline.nameId(outer) != timeline.nameId(row) || timeline.kind(outer) != timeline.kind(row))) {
            outer = timeline.parent(outer);
        }
        return outer >= 0;
    }

    private static Timeline random(Random random) {
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        for (int thread = 1; thread < 4; thread++) {
            int track = builder.track(TrackKind.THREAD, process, Integer.toString(thread));
            for (int i = 0; i < 400; i++) {
                long startNs = random.nextInt(1_000);
                long lengthNs = random.nextInt(4) == 0 ? 0 : random.nextInt(1 + random.nextInt(300));
                RowKind kind = KINDS[random.nextInt(KINDS.length)];
                builder.row(kind, track, startNs, startNs + lengthNs, builder.name("n" + random.nextInt(4)));
            }
        }
        return builder.build("test");
    }
}
