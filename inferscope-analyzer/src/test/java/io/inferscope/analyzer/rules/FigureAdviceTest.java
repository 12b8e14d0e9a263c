package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.rules.AdviceTable.Figure;
import io.inferscope.analyzer.rules.AdviceTable.Topic;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Advice is given where the finding's own numbers allow it. */
class FigureAdviceTest {
    @Test
    void largeCopiesAreNotSaidToCostAsMuchAsSmallOnes() {
        assertThat(advice(Topic.COPIES_PER_STEP, Map.of(Figure.COPY_BYTES, 400e6)))
                .doesNotContain("10 us")
                .startsWith("These copies are large");
        assertThat(advice(Topic.COPIES_PER_STEP, Map.of(Figure.COPY_BYTES, 80.0)))
                .startsWith("A copy costs some 10 us however small it is");
    }

    @Test
    void whereAllIsCopiedNothingIsDetokenized() {
        assertThat(advice(Topic.SERIALIZATION, Map.of(Figure.COPIED_RATIO, 1.0)))
                .doesNotContain("detokenize")
                .startsWith("Copy results back");
        assertThat(advice(Topic.SERIALIZATION, Map.of(Figure.COPIED_RATIO, 0.0)))
                .contains("detokenize once per batch")
                .doesNotContain("Copy results");
        assertThat(advice(Topic.SERIALIZATION, Map.of())).contains("detokenize once per batch");
    }

    @Test
    void aStreamOfItsOwnIsForCommunicationThatNothingAwaits() {
        assertThat(advice(Topic.COMMUNICATION, Map.of(Figure.SERIAL_RATIO, 0.9, Figure.AWAITED_RATIO, 1.0)))
                .doesNotContain("stream of their own");
        assertThat(advice(Topic.COMMUNICATION, Map.of(Figure.SERIAL_RATIO, 0.9, Figure.AWAITED_RATIO, 0.0)))
                .startsWith("Give collectives a stream of their own.");
        assertThat(advice(Topic.COMMUNICATION, Map.of(Figure.SERIAL_RATIO, 0.1, Figure.AWAITED_RATIO, 0.0)))
                .doesNotContain("stream of their own");
    }

    @Test
    void theFirstLaunchLoadsItsModule() {
        assertThat(AdviceTable.of(Topic.SLOW_LAUNCHES, Set.of(Fact.NVIDIA), Map.of(Figure.ONE_OFF, 1.0)))
                .startsWith("At the first use of a kernel its module is loaded")
                .doesNotContain("descheduled");
        assertThat(AdviceTable.of(Topic.SLOW_LAUNCHES, Set.of(Fact.NVIDIA), Map.of()))
                .startsWith("A launch takes 2 to 10 us.");
    }

    @Test
    void graphsAreNotAdvisedWhereTheyAreReplayed() {
        for (Fact program : Set.of(Fact.VLLM, Fact.SGLANG, Fact.TORCH, Fact.ONNX, Fact.TENSORRT, Fact.GPU)) {
            assertThat(AdviceTable.of(Topic.LAUNCH_LESS, Set.of(program, Fact.REPLAYS_GRAPHS), Map.of()))
                    .doesNotContain("CUDA graphs", "enforce-eager", "as a graph")
                    .contains("replayed by graphs already");
        }
    }

    private static String advice(Topic topic, Map<Figure, Double> figures) {
        return AdviceTable.of(topic, Set.of(), figures);
    }
}
