package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class ElementwiseHeavyRuleTest {
    private static final String BUSY = """
            us           0         10        20        30        40
            name K = volta_sgemm_64x64_nt
            name k = void at::native::vectorized_elementwise_kernel<4>
            thread main  LL........LL
            stream 7     ..KKKKKKKKKKkkkkkkkkkkkkkkkkkkkkkk
            links in order
            """;

    private final Rule rule = new ElementwiseHeavyRule();

    @Test
    void largeElementwiseKernelsAreFound() {
        Finding finding = found(rule, BUSY);

        assertThat(finding.costNs()).isEqualTo(us(22));
        assertThat(finding.claim()).contains("68.8% of the kernels' time", "matrix products and convolutions 31.3%");
    }

    @Test
    void fusedKernelsAreNone() {
        assertThat(clean(
                        rule,
                        BUSY.replace("void at::native::vectorized_elementwise_kernel<4>", "triton_poi_fused_add_0")))
                .startsWith("elementwise kernels take 0.0%");
    }

    @Test
    void aSingleKernelCannotBeFused() {
        assertThat(clean(rule, """
                        us           0         10        20
                        name k = add(float *, float *)
                        thread main  LL
                        stream 7     ..kkkkkkkkkkkkkkkkkk
                        links in order
                        """)).isEqualTo("a single kernel has no neighbour to be fused with");
    }

    @Test
    void withoutDeviceWorkThereAreNoKernels() {
        assertThat(notApplicable(rule, """
                us           0         10
                thread main  LLLLLL
                """)).isNotEmpty();
    }
}
