package io.inferscope.analyzer.tables;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.model.WorkTables.HloFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class HloTableTest {
    private static List<HloFigures> hlo(TimelineFixture fixture) {
        return Tables.of(Analysis.of(fixture.build(), Thresholds.defaults())).rows(WorkTables.HLO_OPERATIONS);
    }

    /** Adds a kernel of an instruction, drawn as {@code NAME (MODULE) = MEANING}, the last if the module is recorded. */
    private static TimelineFixture kernel(TimelineFixture fixture, double atUs, String name, String drawn) {
        String[] parts = drawn.split(" [(]|[)] = |[)]");
        fixture.kernel("7", atUs, atUs + 2, name)
                .text(Attribute.HLO_INSTRUCTION, parts[0])
                .text(Attribute.HLO_MODULE, parts[1]);
        return parts.length == 2 ? fixture : fixture.text(Attribute.HLO_MEANING, parts[2]);
    }

    /** The two kernels of a convolution are a product of matrices and a change of layout by their own names. */
    @Test
    void kernelsCountForTheInstructionThatTheyCompute() {
        TimelineFixture fixture = kernel(TimelineFixture.blank(), 0, "Cijk_Ailk_MT256", "cudnn-conv.1.0 (jit_forward)");
        kernel(fixture, 2, "Im3d2Col", "cudnn-conv.1.0 (jit_forward)");
        kernel(fixture, 4, "loop_add_fusion_3.kd", "loop_add_fusion.3 (jit_forward)");
        kernel(fixture, 6, "loop_add_fusion", "loop_add_fusion (jit_forward)");
        kernel(fixture, 8, "input_reduce_fusion", "input_reduce_fusion.clone.2 (jit_forward)");
        fixture.kernel("7", 10, 16, "copyBuffer");

        assertThat(hlo(fixture))
                .extracting(
                        HloFigures::operation,
                        HloFigures::category,
                        HloFigures::count,
                        HloFigures::totalNs,
                        HloFigures::share)
                .containsExactly(
                        tuple("cudnn-conv", "convolution", 2L, us(4), 0.25),
                        tuple("loop_add_fusion", "loop fusion", 2L, us(4), 0.25),
                        tuple("input_reduce_fusion", "input fusion", 1L, us(2), 0.125));
    }

    @Test
    void namesTellTheCategory() {
        TimelineFixture fixture = TimelineFixture.blank();
        List<String> operations = List.of(
                "all-reduce-start",
                "gemm_fusion_dot",
                "custom-call",
                "te_fused_attn_forward_ffi",
                "loop_convert_fusion",
                "wrapped_add",
                "copy",
                "while");
        for (int i = 0; i < operations.size(); i++) {
            kernel(fixture, 10 * i, "k", operations.get(i) + " (main)");
        }

        assertThat(hlo(fixture))
                .extracting(HloFigures::operation, HloFigures::category)
                .containsExactlyInAnyOrder(
                        tuple("all-reduce-start", "communication"),
                        tuple("gemm_fusion_dot", "product"),
                        tuple("custom-call", "custom call"),
                        tuple("te_fused_attn_forward_ffi", "attention"),
                        tuple("loop_convert_fusion", "loop fusion"),
                        tuple("wrapped_add", "single operation"),
                        tuple("copy", "copy"),
                        tuple("while", "other"));
    }

    @Test
    void whatTheModuleSaysCountsMoreThanTheName() {
        TimelineFixture fixture = TimelineFixture.blank();
        kernel(fixture, 0, "Cijk", "custom-call.1 (main) = custom-call __cublas$gemm")
                .text(Attribute.WHERE, "a.py:3");
        kernel(fixture, 3, "k", "custom-call.2 (main) = custom-call my_kernel");
        kernel(fixture, 6, "k", "dot_like_fusion (main) = fusion kInput");
        kernel(fixture, 9, "k", "some_fusion (main) = fusion kCustom dot");
        kernel(fixture, 12, "k", "wrapped_convert (main) = fusion kLoop");

        assertThat(hlo(fixture))
                .extracting(HloFigures::operation, HloFigures::category, HloFigures::where)
                .containsExactlyInAnyOrder(
                        tuple("__cublas$gemm", "product", "a.py:3"),
                        tuple("my_kernel", "custom call", ""),
                        tuple("dot_like_fusion", "input fusion", ""),
                        tuple("some_fusion", "product", ""),
                        tuple("wrapped_convert", "single operation", ""));
    }

    @Test
    void kernelsWithoutAnInstructionAreLeftOut() {
        TimelineFixture fixture = kernel(TimelineFixture.blank(), 0, "k", "copy (main)");
        fixture.kernel("7", 3, 5, "layer 1").text(Attribute.DETAIL, "median (12 %)");

        assertThat(hlo(fixture)).extracting(HloFigures::operation).containsExactly("copy");
    }
}
