package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class SynchronousMemsetsRuleTest {
    private final Rule rule = new SynchronousMemsetsRule();

    private static final String SETTING = """
            us           0         10        20
            name S = Memset (Managed)
            thread main  LL{cudaMemset       }LL
            stream 7     ..KK................SSKK
            links in order
            """;

    @Test
    void aSetOfManagedMemoryIsWaitedFor() {
        Finding finding = found(rule, SETTING);

        assertThat(finding.costNs()).isEqualTo(us(16));
        assertThat(finding.claim()).contains("1 synchronous sets of pinned or managed memory");
    }

    @Test
    void aSetOfDeviceMemoryReturnsAtOnce() {
        assertThat(clean(rule, SETTING.replace("Managed", "Device")))
                .isEqualTo("no synchronous sets of pinned or managed memory");
    }

    @Test
    void anAsynchronousSetIsNotMeant() {
        assertThat(clean(rule, SETTING.replace("{cudaMemset       }", "{cudaMemsetAsync  }")))
                .isEqualTo("no synchronous sets of pinned or managed memory");
    }
}
