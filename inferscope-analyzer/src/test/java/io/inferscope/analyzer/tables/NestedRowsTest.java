package io.inferscope.analyzer.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.activity.RowsByKind;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nesting of annotations and operators, against a walk along the parents. */
class NestedRowsTest {
    private static final RowKind[] KINDS = {
        RowKind.ANNOTATION, RowKind.ANNOTATION, RowKind.OPERATOR, RowKind.RUNTIME_CALL, RowKind.THREAD_STATE
    };

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void onePassFindsWhatAWalkAlongTheParentsFinds(long seed) {
        Random random = new Random(seed);
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 400; i++) {
            int start = random.nextInt(200);
            int end = start + (random.nextInt(10) == 0 ? 0 : random.nextInt(60));
            RowKind kind = KINDS[random.nextInt(KINDS.length)];
            fixture.host(kind, "thread " + random.nextInt(2), start, end, "name " + random.nextInt(5));
        }
        Timeline timeline = fixture.build();
        int checked = 0;
        for (RowKind kind : List.of(RowKind.ANNOTATION, RowKind.OPERATOR)) {
            int[] rows = new RowsByKind(timeline).rows(k -> k == kind);
            NestedRows nested = new NestedRows(timeline, kind, rows);
            for (int row : rows) {
                assertThat(nested.nearest(row)).isEqualTo(nearest(timeline, row, kind));
                assertThat(nested.isRecursive(row)).isEqualTo(isRecursive(timeline, row, kind));
                checked++;
            }
        }
        assertThat(checked).isGreaterThan(100);
    }

    @Test
    void selfTimeLeavesOutWhatIsDirectlyInside() {
        Timeline timeline = TimelineFixture.blank()
                .scope("main", 0, 100, "outer")
                .scope("main", 10, 60, "inner")
                .operator("main", 15, 55, "aten::mm")
                .scope("main", 20, 40, "outer")
                .build();
        List<ScopeFigures> scopes = HostFigures.scopes(Analysis.of(timeline, Thresholds.defaults()), HostFigures.ALL);
        assertThat(scopes).extracting(ScopeFigures::name).containsExactly("outer", "inner");
        assertThat(scopes).extracting(ScopeFigures::selfNs).containsExactly(70_000L, 30_000L);
        assertThat(scopes).extracting(ScopeFigures::wallNs).containsExactly(100_000L, 50_000L);
        assertThat(scopes).extracting(ScopeFigures::count).containsExactly(1L, 1L);
    }

    private static int nearest(Timeline timeline, int row, RowKind kind) {
        int at = timeline.parent(row);
        while (at >= 0 && timeline.kind(at) != kind) {
            at = timeline.parent(at);
        }
        return at;
    }

    private static boolean isRecursive(Timeline timeline, int row, RowKind kind) {
        for (int at = nearest(timeline, row, kind); at >= 0; at = nearest(timeline, at, kind)) {
            if (timeline.nameId(at) == timeline.nameId(row)) {
                return true;
            }
        }
        return false;
    }
}
