package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.rules.Advice.Figure;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Advice is given where the finding's own numbers allow it. */
class FigureAdviceTest {
    @Test
    void largeCopiesAreNotSaidToCostAsMuchAsSmallOnes() {
        assertThat(advice("copies-per-step", Map.of(Figure.COPY_BYTES, 400e6)))
                .doesNotContain("10 us")
                .startsWith("These copies are large");
        assertThat(advice("copies-per-step", Map.of(Figure.COPY_BYTES, 80.0)))
                .startsWith("A copy costs some 10 us however small it is");
    }

    @Test
    void whereAllIsCopiedNothingIsDetokenized() {
        assertThat(advice("CPU_SERIALIZATION", Map.of(Figure.COPIED_RATIO, 1.0)))
                .doesNotContain("detokenize")
                .startsWith("Copy results back");
        assertThat(advice("CPU_SERIALIZATION", Map.of(Figure.COPIED_RATIO, 0.0)))
                .contains("detokenize once per batch")
                .doesNotContain("Copy results");
        assertThat(advice("CPU_SERIALIZATION", Map.of())).contains("detokenize once per batch");
    }

    @Test
    void aStreamOfItsOwnIsForCommunicationThatNothingAwaits() {
        assertThat(advice("GPU_COMMUNICATION", Map.of(Figure.SERIAL_RATIO, 0.9, Figure.AWAITED_RATIO, 1.0)))
                .doesNotContain("stream of their own");
        assertThat(advice("GPU_COMMUNICATION", Map.of(Figure.SERIAL_RATIO, 0.9, Figure.AWAITED_RATIO, 0.0)))
                .startsWith("Give collectives a stream of their own.");
        assertThat(advice("GPU_COMMUNICATION", Map.of(Figure.SERIAL_RATIO, 0.1, Figure.AWAITED_RATIO, 0.0)))
                .doesNotContain("stream of their own");
    }

    @Test
    void theFirstLaunchLoadsItsModule() {
        assertThat(Advice.of("slow-launch-calls", Set.of(Fact.NVIDIA), Map.of(Figure.ONE_OFF, 1.0)))
                .startsWith("At the first use of a kernel its module is loaded")
                .doesNotContain("descheduled");
        assertThat(Advice.of("slow-launch-calls", Set.of(Fact.NVIDIA), Map.of()))
                .startsWith("A launch takes 2 to 10 us.");
    }

    @Test
    void graphsAreNotAdvisedWhereTheyAreReplayed() {
        for (Fact program : Set.of(Fact.VLLM, Fact.SGLANG, Fact.TORCH, Fact.ONNX, Fact.TENSORRT, Fact.GPU)) {
            assertThat(Advice.of("launch-bound", Set.of(program, Fact.REPLAYS_GRAPHS), Map.of()))
                    .doesNotContain("CUDA graphs", "enforce-eager", "as a graph")
                    .contains("replayed by graphs already");
        }
    }

    private static String advice(String topic, Map<Figure, Double> figures) {
        return Advice.of(topic, Set.of(), figures);
    }
}
