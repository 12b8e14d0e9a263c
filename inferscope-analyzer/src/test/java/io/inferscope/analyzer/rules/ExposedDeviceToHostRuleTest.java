package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExposedDeviceToHostRuleTest extends ExposedCopyRuleContract {
    ExposedDeviceToHostRuleTest() {
        super(new ExposedDeviceToHostRule(), 'D', "device-to-host copies");
    }

    @Test
    void theAdviceIsToCopyLess() {
        assertThat(found(rule, """
                us        0         10
                stream 7  DDDDKKKKKK
                """).advice()).contains("token ids, not logits");
    }
}
