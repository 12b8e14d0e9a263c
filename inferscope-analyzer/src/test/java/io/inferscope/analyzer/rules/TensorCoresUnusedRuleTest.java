package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class TensorCoresUnusedRuleTest {
    private static final String LARGE = "[[4096,4096],[4096,4096]]";

    private final Rule rule = new TensorCoresUnusedRule();

    private static TimelineFixture kernel(String device, String kernel) {
        return TimelineFixture.blank()
                .property("device.0.name", device)
                .kernel("7", 10, 1010, kernel)
                .launchedBy("main", 2, 3);
    }

    private static Timeline product(String kernel, String dims, String type) {
        return kernel("NVIDIA A100-SXM4-40GB", kernel)
                .operator("main", 0, 9, "aten::mm")
                .text(Attribute.INPUT_DIMS, dims)
                .text(Attribute.INPUT_TYPES, "[" + type + "," + type + "]")
                .build();
    }

    @Test
    void float32ProductsOnTheOrdinaryUnitsAreFound() {
        Finding finding = found(rule, product("ampere_sgemm_128x64_tn", LARGE, "float"));

        assertThat(finding.claim())
                .isEqualTo(
                        "Matrix products take 1.00 ms (100.0% of its span, 1 x 1.00 ms) on the ordinary units of the device instead of its tensor cores.");
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("matmul without tensor cores", "aten::mm " + LARGE, us(1000), 1));
        assertThat(finding.advice()).contains("set_float32_matmul_precision");
    }

    @Test
    void halvesBesideTheTensorCoresAreMisaligned() {
        assertThat(found(rule, product("ampere_hgemm_128x64_tn", LARGE, "c10::Half"))
                        .advice())
                .contains("multiples of 8");
    }

    @Test
    void namesOfKernelsAreEnough() {
        Finding finding = found(rule, kernel("Tesla V100-SXM2-32GB", "volta_sgemm_64x64_nt"));

        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("kernel without tensor cores", "volta_sgemm_64x64_nt", us(1000), 1));
        assertThat(finding.advice()).contains("float16");
    }

    @Test
    void usedTensorCoresAreWell() {
        assertThat(clean(rule, product("ampere_s16816gemm_tn", LARGE, "c10::Half")))
                .isEqualTo("products that could use tensor cores and do not take 0.0% of the span");
    }

    /** One row times a matrix: each element of the matrix is read for one multiplication. */
    @Test
    void whatMemoryLimitsWouldBeNoFaster() {
        assertThat(clean(rule, product("gemv2T_kernel_val", "[[1,4096],[4096,4096]]", "c10::Half")))
                .contains("0.0% of the span");
        assertThat(clean(rule, kernel("NVIDIA A100-SXM4-40GB", "gemv2T_kernel_val")))
                .contains("0.0% of the span");
    }

    @Test
    void doublePrecisionIsLeftAlone() {
        assertThat(clean(rule, product("ampere_dgemm_64x64", LARGE, "double"))).contains("0.0% of the span");
        assertThat(clean(rule, kernel("NVIDIA A100-SXM4-40GB", "ampere_dgemm_64x64")))
                .contains("0.0% of the span");
    }

    @Test
    void saysNothingOfADeviceThatIsNotKnown() {
        assertThat(notApplicable(rule, kernel("Some GPU", "ampere_sgemm_128x64_tn")))
                .isEqualTo("it is not known whether the device has tensor cores");
    }
}
