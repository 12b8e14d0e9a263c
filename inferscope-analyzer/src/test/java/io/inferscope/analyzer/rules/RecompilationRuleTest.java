package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class RecompilationRuleTest {
    private final Rule rule = new RecompilationRule();

    private static TimelineFixture regions(String... regions) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < regions.length; i++) {
            fixture.operator("main", 100.0 * i, 100.0 * i + 50, "Torch-Compiled Region: " + regions[i]);
        }
        return fixture;
    }

    @Test
    void aFunctionOfManyVersionsIsReported() {
        Finding finding = found(rule, regions("0/0", "3/0", "3/1", "3/4", "5/0").build());

        assertThat(finding.claim())
                .isEqualTo("torch.compile compiled 1 of 3 functions several times; function 3 was compiled 5 times.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.advice()).contains("TORCH_LOGS=recompiles");
    }

    @Test
    void atTheLimitItRunsUncompiled() {
        Finding finding = found(rule, regions("3/0", "3/7").build());

        assertThat(finding.claim()).endsWith("That is PyTorch's limit: from then on it runs uncompiled.");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void onceForDynamicShapesIsNormal() {
        assertThat(clean(rule, regions("0/0", "0/1", "1/0").build()))
                .isEqualTo("no function of 2 was compiled more than 2 times");
    }

    @Test
    void programsWithoutTorchCompileAreNotMeant() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  <aten::mm          >
                """)).isEqualTo("no compiled region of PyTorch is named in the recording");
    }
}
