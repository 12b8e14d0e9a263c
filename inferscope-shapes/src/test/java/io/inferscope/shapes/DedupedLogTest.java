package io.inferscope.shapes;

import static io.inferscope.shapes.ShapeLogFixture.collect;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.shapes.ShapeLogFixture.Said;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that leaves repeated calls out, with their number, says what the log with all of them says. */
class DedupedLogTest {
    private static final ShapeSections ENDLESS = new ShapeSections(true, true, true, 9_999, 9_999);

    @TempDir
    private Path folder;

    private Path whole = Path.of("");
    private Path deduped = Path.of("");

    @BeforeEach
    void write() throws IOException {
        List<Said> rows = new ArrayList<>();
        List<Said> once = ShapeLogFixture.random(21, 120).stream()
                .filter(row -> row.marker().isEmpty())
                .toList();
        for (int step = 0; step < 7; step++) {
            rows.addAll(once.subList(0, once.size() - 10 * step));
        }
        whole = ShapeLogFixture.write(folder.resolve("whole.jsonl"), rows);
        Map<Call, Long> counts = new LinkedHashMap<>();
        rows.forEach(row -> counts.merge(row.call(), 1L, Long::sum));
        StringBuilder text = new StringBuilder();
        counts.forEach((call, count) -> text.append(line(rows, call, count)));
        deduped = Files.writeString(folder.resolve("deduped.jsonl"), text);
    }

    private static String line(List<Said> rows, Call call, long count) {
        Said first =
                rows.stream().filter(row -> row.call().equals(call)).findFirst().orElseThrow();
        return ShapeLogFixture.line(first).replaceFirst("}\n$", ", \"count\": " + count + "}\n");
    }

    @Test
    void operatorsWorkTensorsAndDiversityAreTheSame() throws Exception {
        ShapeReport all = ShapeAnalysis.of(collect(whole), "", ENDLESS);
        ShapeReport few = ShapeAnalysis.of(collect(deduped), "", ENDLESS);

        assertThat(few.logs().get(0).rows()).isLessThan(all.logs().get(0).rows());
        assertThat(few.totals()).isEqualTo(all.totals());
        assertThat(few.operators()).isEqualTo(all.operators());
        assertThat(few.diversity()).isEqualTo(all.diversity());
        assertThat(few.largest()).isEqualTo(all.largest());
        assertThat(few.shapes())
                .extracting(s -> List.of(s.call(), s.calls(), s.flops(), s.bytes(), s.tensorBytes()))
                .isEqualTo(all.shapes().stream()
                        .map(s -> List.of(s.call(), s.calls(), s.flops(), s.bytes(), s.tensorBytes()))
                        .toList());
        assertThat(few.errors()).hasSameSizeAs(all.errors()).isNotEmpty();
    }

    @Test
    void aQuickCountIsTheSame() throws Exception {
        assertThat(quick(deduped)).isEqualTo(quick(whole));
    }

    private static List<ShapeReport.OperatorFigures> quick(Path log) throws Exception {
        ShapeCollection all = new ShapeCollection(ShapeFilter.ALL, true, Long.MAX_VALUE);
        return ShapeAnalysis.of(collect(all, log), "", ENDLESS).operators();
    }

    @Test
    void whatAFilterLeavesOutCountsAsManyCalls() throws Exception {
        for (Path log : List.of(whole, deduped)) {
            ShapeCollection all = new ShapeCollection(new ShapeFilter("mm", 50), false, Long.MAX_VALUE);
            ShapeReport report = ShapeAnalysis.of(collect(all, log), "", ENDLESS);
            long calls = report.totals().calls() + report.logs().get(0).leftOut();
            assertThat(calls)
                    .isEqualTo(
                            ShapeAnalysis.of(collect(log), "", ENDLESS).totals().calls());
        }
    }

    @Test
    void signaturesWithoutRoomCountAsManyCalls() throws Exception {
        ShapeCollection all = new ShapeCollection(ShapeFilter.ALL, false, Long.MAX_VALUE, 20);
        ShapeReport tight = ShapeAnalysis.of(collect(all, deduped), "", ENDLESS);
        ShapeReport plain = ShapeAnalysis.of(collect(whole), "", ENDLESS);

        assertThat(tight.totals().calls()).isEqualTo(plain.totals().calls());
        assertThat(tight.totals().errors()).isEqualTo(plain.totals().errors());
    }

    @Test
    void theTwoDifferInNothing() throws Exception {
        ShapeDifference difference =
                ShapeDiff.of(collect(whole, deduped), List.of("whole", "deduped"), false, List.of(), 9_999);

        assertThat(difference.isSame()).isTrue();
        assertThat(difference.shapesTotal()).containsExactly(0L, 0L);
        assertThat(difference.errors()).isEmpty();
    }
}
