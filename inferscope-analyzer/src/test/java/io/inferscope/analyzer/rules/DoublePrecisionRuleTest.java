package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class DoublePrecisionRuleTest {
    private static final String DIMS = "[[4096,4096],[4096,4096]]";

    private final Rule rule = new DoublePrecisionRule();

    /** An operator of 60 us on the CPU, and another of 40 us in float32. */
    private static Timeline operators(String name, String dims, String types) {
        return TimelineFixture.blank()
                .operator("main", 0, 60, name)
                .text(Attribute.INPUT_DIMS, dims)
                .text(Attribute.INPUT_TYPES, types)
                .operator("main", 60, 100, "aten::mm")
                .text(Attribute.INPUT_DIMS, DIMS)
                .text(Attribute.INPUT_TYPES, "[float,float]")
                .build();
    }

    private static Timeline kernel(String name) {
        return TimelineFixture.blank()
                .kernel("7", 10, 70, name)
                .launchedBy("main", 2, 3)
                .kernel("7", 70, 110, "ampere_sgemm_128x64_tn")
                .launchedBy("main", 4, 5)
                .build();
    }

    /** Passes of 10 us, each after the one before, of models with float64 weights or not. */
    private static TimelineFixture passes(boolean... inDouble) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < inDouble.length; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "forward Net").activity(RangeActivity.MODEL);
        }
        for (int i = 0; i < inDouble.length; i++) {
            if (inDouble[i]) {
                fixture.counter("model.double_passes", 10 * i + 1, 1);
            }
        }
        return fixture;
    }

    @Test
    void operatorsOnFloat64TensorsAreFound() {
        Finding finding = found(rule, operators("aten::mm", DIMS, "[double,double]"));

        assertThat(finding.claim())
                .isEqualTo("Operators on float64 tensors take 60.0 us, 60.0% of the window (1 calls).");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("matmul in float64", "aten::mm " + DIMS, us(60), 1));
        assertThat(finding.advice())
                .contains("If the results do not need float64")
                .contains("model.float()");
        assertThat(finding.gain()).isNull();
    }

    /** A Python number beside a tensor is recorded as float64 and takes the tensor's type. */
    @Test
    void singleNumbersAndConversionsAreNone() {
        String none = "operators on float64 tensors take 0.0% of the window";

        assertThat(clean(rule, operators("aten::mul", "[[4096,4096],[]]", "[float,double]")))
                .isEqualTo(none);
        assertThat(clean(rule, operators("aten::copy_", "[[4096,4096],[4096,4096]]", "[float,double]")))
                .isEqualTo(none);
    }

    @Test
    void kernelsOfProductsShowItByTheirNames() {
        for (String name : new String[] {
            "ampere_dgemm_128x64_tn",
            "void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x32_16x4_tn_align1>(...)",
            "Cijk_Ailk_Bljk_DB_MT128x64x8_SN_K1",
            "void gemv2T_kernel_val<int, int, double, double, double, double, 128, 16>(...)"
        }) {
            assertThat(found(rule, kernel(name)).claim())
                    .isEqualTo("Kernels of products in float64 take 60.0 us, 60.0% of its span (1 calls).");
        }
    }

    /** A scalar argument of an elementwise kernel may be a double whatever its tensors are. */
    @Test
    void otherKernelsDoNot() {
        for (String name : new String[] {
            "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, double>>(...)",
            "void GroupedGemm_fusedgemm_kernel<float>(...)",
            "Cijk_Ailk_Bljk_SB_MT128x64x8_SN_K1"
        }) {
            assertThat(clean(rule, kernel(name))).isEqualTo("kernels of products in float64 take 0.0% of the span");
        }
    }

    @Test
    void passesThatTheProbeCountedAreAShareOfTheComputing() {
        Finding finding = found(rule, passes(true, false, true, true));

        assertThat(finding.claim())
                .isEqualTo(
                        "3 of 4 forward passes are of models with float64 weights. By their share of the passes' time, 30.0 us of the computing is in float64, 75.0% of the window.");
        assertThat(finding.causes()).containsExactly(LedgerClass.CPU_MODEL_COMPUTE);
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aModelThatTakesLittleTimeIsNotWorthIt() {
        assertThat(clean(rule, passes(true, true).scope("main", 20, 400, "answer")))
                .isEqualTo("2 of 2 forward passes have float64 weights; they compute for 5.0% of the window");
    }

    @Test
    void passesInFloat32AreClean() {
        assertThat(clean(rule, passes(false, false))).isEqualTo("none of 2 forward passes has float64 weights");
    }

    @Test
    void withoutTypesNothingIsKnown() {
        assertThat(notApplicable(rule, TimelineFixture.blank().scope("main", 0, 10, "answer")))
                .isEqualTo("types of tensors are not recorded");
    }
}
