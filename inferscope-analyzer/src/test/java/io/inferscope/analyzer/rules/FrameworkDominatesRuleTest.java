package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class FrameworkDominatesRuleTest {
    private final Rule rule = new FrameworkDominatesRule();

    @Test
    void modulesThatCallModulesAroundSmallOperatorsAreAFinding() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  "torch/nn/modules/module.py(9): c"<aten::mm>
                """);

        assertThat(finding.claim())
                .startsWith("The framework's own Python, dispatching and allocating take 34.0 us,")
                .endsWith("of computing: each call of the model has too little to do.");
        assertThat(finding.costNs()).isEqualTo(us(34));
        assertThat(finding.share()).isEqualTo(34.0 / 44, within(1e-9));
        assertThat(finding.causes()).contains(LedgerClass.FRAMEWORK_PYTHON);
        assertThat(finding.advice()).contains("a larger batch");
        assertThat(finding.noGainBecause()).contains("only a run shows");
    }

    @Test
    void withoutPyTorchTheAdviceIsNotPyTorchs() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .property("process.1.runtime", "CPython 3.11.7")
                        .state("main", 0, 100, 100, 0, WaitReason.UNKNOWN)
                        .sample("main", 0, 100, "app.py(9): post", "/x/site-packages/jax/_src/array.py(3): __getitem__")
                        .build());

        assertThat(finding.advice()).contains("jax.jit", "numpy.asarray").doesNotContain("torch");
    }

    @Test
    void theProgramsOwnPythonIsNotTheFrameworks() {
        assertThat(clean(rule, """
                us           0         10        20        30        40
                thread main  "app.py(12): pick           "<aten::addmm>
                """))
                .isEqualTo("the framework's own Python, dispatching and allocating take 0.0% of the window");
    }

    @Test
    void withADeviceLaunchingIsLookedAt() {
        assertThat(notApplicable(rule, """
                us           0         10        20        30        40
                thread main  LL"torch/nn/modules/module.py(9): c"LL
                stream 7     ..KK..............................KKKK
                links in order
                """))
                .isEqualTo("the model runs on a device: launch-bound looks at what its framework takes");
    }
}
