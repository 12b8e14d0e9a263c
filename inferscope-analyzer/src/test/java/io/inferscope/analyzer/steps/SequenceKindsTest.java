package io.inferscope.analyzer.steps;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Prefill and decode by the shapes of operators. */
class SequenceKindsTest {
    private static final String ATTENTION = "aten::scaled_dot_product_attention";
    private static final String EMBEDDING = "aten::embedding";

    /** Kinds of passes that each hold one operator with inputs of some sizes. */
    private static List<String> kinds(String operator, List<String> dims) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < dims.size(); i++) {
            fixture.scope("main", 100 * i, 100 * i + 90, "forward Model")
                    .operator("main", 100 * i + 10, 100 * i + 20, operator)
                    .text(Attribute.INPUT_DIMS, dims.get(i));
        }
        return Analysis.of(fixture.build(), Thresholds.defaults()).steps().stream()
                .map(Step::kind)
                .toList();
    }

    private static String attention(int queries, int keys) {
        return "[[2,8," + queries + ",64],[2,8," + keys + ",64],[2,8," + keys + ",64],[]]";
    }

    @Test
    void oneQueryThatLooksAtMoreKeysIsADecode() {
        List<String> dims = List.of(attention(559, 559), attention(1, 560), attention(1, 561), attention(1, 562));

        assertThat(kinds(ATTENTION, dims)).containsExactly("prefill", "decode", "decode", "decode");
    }

    @Test
    void aModelThatOnlyWorksOnWholeSequencesIsSaidNothingOf() {
        assertThat(kinds(ATTENTION, Collections.nCopies(6, attention(128, 128))))
                .containsOnly("");
    }

    @Test
    void oneQueryOfOneKeyIsASequenceOfOneAndNoDecode() {
        assertThat(kinds(ATTENTION, Collections.nCopies(6, attention(1, 1)))).containsOnly("");
    }

    @Test
    void tokenIdsTellWhereSomeStepsHaveOneAndSomeMore() {
        assertThat(kinds(EMBEDDING, List.of("[[1000,64],[4,12]]", "[[1000,64],[4,1]]", "[[1000,64],[4,1]]")))
                .containsExactly("prefill", "decode", "decode");
        assertThat(kinds(EMBEDDING, Collections.nCopies(5, "[[1000,64],[4,1]]")))
                .containsOnly("");
    }

    @Test
    void sequencesPackedIntoOneTellNothing() {
        List<String> packed = IntStream.range(0, 5)
                .mapToObj(i -> "[[" + (i == 0 ? 900 : 1) + ",8,64],[900,8,64]]")
                .toList();

        assertThat(kinds(ATTENTION, packed)).containsOnly("");
    }

    @Test
    void aNameThatTellsCountsMoreThanShapes() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 5; i++) {
            fixture.scope("main", 100 * i, 100 * i + 90, "step[EXTEND bs=1]")
                    .operator("main", 100 * i + 10, 100 * i + 20, ATTENTION)
                    .text(Attribute.INPUT_DIMS, attention(1, 8));
        }

        assertThat(Analysis.of(fixture.build(), Thresholds.defaults()).steps())
                .extracting(Step::kind)
                .containsOnly("prefill");
    }
}
