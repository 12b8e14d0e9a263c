package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class SteadyStateCompilingRuleTest {
    private final Rule rule = new SteadyStateCompilingRule();

    private static final String LATE = """
            us           0         10        20        30        40
            thread main  LL......................{cuModuleLoadData}LL
            stream 7     ..KKKKKKKKKKKKKKKKKKKKKK..................KKKK
            links 0-0 2-1
            """;

    @Test
    void aModuleLoadedLateKeepsTheGpuWaiting() {
        Finding finding = found(rule, LATE);

        assertThat(finding.costNs()).isEqualTo(us(18));
        assertThat(finding.claim()).contains("1 calls that load or compile kernels in the second half");
        assertThat(finding.advice()).contains("Warm up");
    }

    @Test
    void theStartMayLoad() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  LL{cuModuleLoadData}LL
                        stream 7     ..KK................KKKKKKKKKKKKKKKKKKKKKKKKKKKK
                        links 0-0 2-1
                        """)).isEqualTo("no calls that load or compile kernels in the second half");
    }

    @Test
    void capturingGraphsIsAnotherMatter() {
        assertThat(clean(rule, LATE.replace("{cuModuleLoadData}", "{cudaGraphInstantiate}")))
                .startsWith("no calls that load");
    }
}
