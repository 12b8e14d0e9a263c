package io.inferscope.shapes;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.analyzer.work.Work;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoggedWorkTest {
    /** What torch.utils.flop_counter.FlopCounterMode of PyTorch 2.13.0 counts for these calls on a CPU. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "aten.mm.default          | self:141,512 mat2:512,64                   | 141,64      | 9240576",
                "aten.addmm.default       | self:512 mat1:141,512 mat2:512,512         | 141,512     | 73924608",
                "aten.bmm.default         | self:6,8,64 mat2:6,64,10                   | 6,8,10      | 61440",
                "aten.convolution.default | input:4,3,224,224 weight:768,3,16,16 bias:768 | 4,768,14,14 | 924844032",
                "aten.convolution.default | input:2,8,15,17 weight:12,8,3,3 bias:12    | 2,12,8,9    | 248832",
                "aten._scaled_dot_product_flash_attention_for_cpu.default | query:2,4,33,16 key:2,4,65,16 value:2,4,65,16 | 2,4,33,16 | 1098240",
            })
    void operationsAreThoseThatPyTorchCounts(String operator, String inputs, String output, double flops) {
        assertThat(work(operator, inputs, output))
                .isNotNull()
                .satisfies(work -> assertThat(work.flops()).isEqualTo(flops));
    }

    @Test
    void traffic() {
        assertThat(work("aten.gather.default", "self:10,20 index:3,20", "3,20"))
                .isNotNull()
                .satisfies(work -> assertThat(work.bytes()).isEqualTo(3 * 20 * 4 * 3.0));
        assertThat(work("aten._to_copy.default", "self:10,20", "10,20"))
                .isNotNull()
                .satisfies(work -> assertThat(work.bytes()).isEqualTo(2 * 200 * 4.0));
        assertThat(work("aten.view.default", "self:10,20", "200"))
                .isNotNull()
                .satisfies(work -> assertThat(work.bytes()).isZero());
    }

    @Test
    void nothingIsClaimedWithoutAFormulaASizeOrSuccess() {
        assertThat(work("vllm.secret.default", "x:1", "1")).isNull();
        assertThat(LoggedWork.of(new Call(
                        "aten.mm.default",
                        List.of(tensor("a", -1L, 2L), tensor("b", 2L, 3L)),
                        List.of(tensor("", -1L, 3L)),
                        "",
                        "")))
                .isNull();
        assertThat(LoggedWork.of(new Call(
                        "aten.mm.default",
                        List.of(tensor("a", 2L, 2L), tensor("b", 2L, 3L)),
                        List.of(),
                        "RuntimeError",
                        "")))
                .isNull();
        assertThat(work("aten.convolution.default", "input:1,8,5,5 weight:8,8,3,3", "1,8,11,11"))
                .isNull();
    }

    private static ShapeTensor tensor(String name, Long... dims) {
        return new ShapeTensor(name, "torch.float32", Arrays.asList(dims));
    }

    @org.jspecify.annotations.Nullable
    private static Work work(String operator, String inputs, String output) {
        List<ShapeTensor> tensors = new ArrayList<>();
        for (String input : inputs.strip().split(" ", -1)) {
            String[] parts = input.split(":", -1);
            tensors.add(tensor(parts[0], dims(parts[1])));
        }
        return LoggedWork.of(new Call(operator.strip(), tensors, List.of(tensor("", dims(output.strip()))), "", ""));
    }

    private static Long[] dims(String text) {
        return Arrays.stream(text.split(",", -1)).map(Long::valueOf).toArray(Long[]::new);
    }
}
