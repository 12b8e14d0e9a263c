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
import java.util.List;
import org.junit.jupiter.api.Test;

class RooflineGapRuleTest {
    private final Rule rule = new RooflineGapRule();

    /** Two calls of an operator on halves, each a kernel of {@code kernelUs}, and 20 us of other work. */
    private static Timeline twice(String device, String name, String dims, double kernelUs) {
        TimelineFixture fixture = TimelineFixture.blank().property("device.0.name", device);
        for (int i = 0; i < 2; i++) {
            double atUs = i * (kernelUs + 10);
            fixture.operator("main", atUs, atUs + 9, name)
                    .text(Attribute.INPUT_DIMS, dims)
                    .text(Attribute.INPUT_TYPES, "[c10::Half,c10::Half,c10::Half]")
                    .kernel("7", atUs + 10, atUs + 10 + kernelUs, "cutlass_75_tensorop_s1688gemm_align1")
                    .launchedBy("main", atUs + 2, atUs + 3);
        }
        return fixture.build();
    }

    /**
     * 2 x 4096^3 operations at 989.4 TFLOP/s take 138.9 us, at 70 % of that 198.4 us; a call takes 1 ms, so that 801.6 us of it are lost.
     */
    @Test
    void addsWhatOperatorsLoseAgainstWhatIsAttainable() {
        Finding finding = found(rule, twice("NVIDIA H100 80GB HBM3", "aten::mm", "[[4096,4096],[4096,4096]]", 1000));

        assertThat(finding.claim())
                .isEqualTo(
                        "Operators take 1.60 ms (79.8% of its span) longer than they would at an attainable share of the device's peak."
                                + " The most is lost in aten::mm (2 x 1.00 ms): it reaches 13.9% of the limit that compute sets, and"
                                + " 70.0% is attainable.");
        assertThat(finding.costNs()).isBetween(us(1603), us(1604));
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place(
                                "matmul at 13.9% of the compute limit",
                                "aten::mm [[4096,4096],[4096,4096]]", finding.costNs(), 2),
                        new Evidence.Place("its longest kernel", "cutlass_75_tensorop_s1688gemm_align1", us(2000), 2));
        assertThat(finding.advice()).contains("align1");
        assertThat(finding.gain()).isNull();
    }

    /** Halves with sizes in multiples of 8, and a kernel that says nothing else, have both already. */
    @Test
    void productsAreNotToldWhatTheyHaveAlready() {
        String aligned = "[[4096,4096],[4096,4096]]";
        assertThat(products("[[4096,4096],[4096,4096]]", "cutlass_75_tensorop_s1688gemm_align1"))
                .startsWith("Give the products sizes and strides that are multiples of 8 elements (the kernel's");
        assertThat(products(aligned, "nvjet_hsh_128x128"))
                .startsWith("Make them larger by a larger batch; let `torch.compile(mode=\"max-autotune\")` choose");
        assertThat(products("[[4096,4097],[4097,4096]]", "nvjet_hsh_128x128"))
                .startsWith("Give the products sizes and strides that are multiples of 8 elements; make them larger");
        assertThat(products(aligned, "Cijk_Alik_Bljk_BBS_BH_MT128x192x64_align1"))
                .contains("TunableOp");
    }

    @Test
    void onlyTypesOfMoreThanTwoBytesAreToBecomeHalves() {
        String half = "keep weights in a half type";
        assertThat(products("aten::mm", "[float,float]", "[[2048,2048],[2048,2048]]", "gemm"))
                .containsIgnoringCase(half);
        for (String type : List.of("signed char", "unsigned char", "int8", "byte", "c10::qint8", "c10::BFloat16")) {
            assertThat(products("aten::_int_mm", "[" + type + "," + type + "]", "[[4096,4096],[4096,4096]]", "gemm"))
                    .as(type)
                    .doesNotContainIgnoringCase(half);
        }
    }

    private String products(String dims, String kernel) {
        return products("aten::mm", "[c10::Half,c10::Half]", dims, kernel);
    }

    private String products(String operator, String types, String dims, String kernel) {
        Timeline timeline = TimelineFixture.blank()
                .property("device.0.name", "NVIDIA H100 80GB HBM3")
                .operator("main", 0, 9, operator)
                .text(Attribute.INPUT_DIMS, dims)
                .text(Attribute.INPUT_TYPES, types)
                .kernel("7", 10, 1010, kernel)
                .launchedBy("main", 2, 3)
                .build();
        return found(rule, timeline).advice();
    }

    /** 2 x 16 x 2048 x 2048 x 256 operations at 989.4 TFLOP/s take 34.7 us, at half of that 69.4 us. */
    @Test
    void attentionIsAskedForLess() {
        String dims = "[[1,16,2048,128],[1,16,2048,128],[1,16,2048,128]]";

        assertThat(clean(rule, twice("NVIDIA H100 80GB HBM3", "aten::_scaled_dot_product_flash_attention", dims, 69)))
                .contains("save 0.0% of the span");
        assertThat(found(rule, twice("NVIDIA H100 80GB HBM3", "aten::_scaled_dot_product_flash_attention", dims, 690))
                        .claim())
                .endsWith("5.0% of the limit that compute sets, and 50.0% is attainable.");
    }

    @Test
    void aFusedAttentionIsNotToldToBecomeOne() {
        String dims = "[[1,16,2048,128],[1,16,2048,128],[1,16,2048,128]]";

        assertThat(found(rule, twice("NVIDIA H100 80GB HBM3", "aten::_scaled_dot_product_flash_attention", dims, 690))
                        .advice())
                .startsWith("This attention is one kernel already.");
        assertThat(found(rule, twice("NVIDIA H100 80GB HBM3", "aten::scaled_dot_product_attention", dims, 690))
                        .advice())
                .startsWith("Use one kernel for the attention");
    }

    @Test
    void memoryBoundOperatorsAreToBeFused() {
        Finding finding = found(rule, twice("NVIDIA H100 80GB HBM3", "aten::relu", "[[65536,1024],[]]", 1000));

        assertThat(finding.claim()).contains("the limit that memory sets");
        assertThat(finding.advice()).contains("torch.compile");
    }

    @Test
    void aSoftmaxAtTheTopIsAttentionWrittenOut() {
        Finding finding = found(rule, twice("NVIDIA H100 80GB HBM3", "aten::_softmax", "[[65536,1024],[],[]]", 1000));

        assertThat(finding.advice()).contains("scaled_dot_product_attention");
    }

    @Test
    void operatorsNearThePeakAreWell() {
        assertThat(clean(rule, twice("NVIDIA H100 80GB HBM3", "aten::mm", "[[4096,4096],[4096,4096]]", 200)))
                .isEqualTo("at an attainable share of the device's peak, operators would save 0.8% of the span");
    }

    @Test
    void callsOfAFewMicrosecondsAreNotJudged() {
        assertThat(clean(rule, twice("NVIDIA H100 80GB HBM3", "aten::mm", "[[64,64],[64,64]]", 9)))
                .contains("save 0.0% of the span");
    }

    @Test
    void saysNothingOfADeviceThatIsNotKnown() {
        assertThat(notApplicable(rule, twice("Some GPU", "aten::mm", "[[4096,4096],[4096,4096]]", 1000)))
                .isEqualTo("the peak of the device is not known");
    }

    @Test
    void saysNothingWithoutSizes() {
        assertThat(notApplicable(rule, """
                        us           0         10        20
                        thread main  <aten::mm>LL
                        stream 7     ............KKKK
                        links in order
                        """)).isEqualTo("sizes of operators' inputs are not recorded");
    }
}
