package io.inferscope.analyzer.work;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OperandsTest {
    @Test
    void aListOfTensorsIsOneInput() {
        Operands operands = Operands.of("[[[2, 3], [4]], [5]]", "[TensorList, float]", "[,]");
        assertThat(operands.tensors()).extracting(Tensor::dims).hasToString("[[2, 3], [4], [5]]");
    }

    /** The text of a trace may be anything. */
    @Test
    void aTextThatIsNestedWithoutEndHasNoTensors() {
        String deep = "[".repeat(20_000) + "1" + "]".repeat(20_000);
        assertThat(Operands.of(deep, "[float]", deep).tensors()).isEmpty();
    }
}
