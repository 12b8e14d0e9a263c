package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class SynchronousCopiesRuleTest {
    private final Rule rule = new SynchronousCopiesRule();

    private static final String COPYING = """
            us           0         10        20
            thread main  LL{cudaMemcpy       }LL
            stream 7     ..KK................HHKK
            links in order
            """;

    @Test
    void aCallThatWaitsForItsCopyHoldsUpTheHost() {
        Finding finding = found(rule, COPYING);

        assertThat(finding.costNs()).isEqualTo(us(16));
        assertThat(finding.claim()).contains("1 synchronous copy calls");
        assertThat(finding.evidence()).anyMatch(e -> e.label().equals("longest: cudaMemcpy"));
    }

    @Test
    void asynchronousCopiesAreNotMeant() {
        assertThat(clean(rule, COPYING.replace("{cudaMemcpy       }", "{cudaMemcpyAsync  }")))
                .isEqualTo("no synchronous copy calls");
    }

    @Test
    void aCopyUnderAKernelCostsNothing() {
        assertThat(clean(rule, """
                        us           0         10        20
                        thread main  LL{cudaMemcpy       }
                        stream 7     ..KKKKKKKKKKKKKKKKKKHH
                        links in order
                        """)).contains("the GPU is idle for 0.0% of the span meanwhile");
    }
}
