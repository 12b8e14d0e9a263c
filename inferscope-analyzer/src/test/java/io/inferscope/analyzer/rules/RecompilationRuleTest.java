package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
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
        Finding finding = found(rule, regions("0/0", "3/0", "3/1", "3/4", "5/0"));

        assertThat(finding.claim())
                .isEqualTo("torch.compile compiled 1 of 3 functions several times; function 3 was compiled 5 times.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.advice()).contains("TORCH_LOGS=recompiles");
    }

    @Test
    void atTheLimitItRunsUncompiled() {
        Finding finding = found(rule, regions("3/0", "3/7"));

        assertThat(finding.claim()).endsWith("That is PyTorch's limit: from then on it runs uncompiled.");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    /** Four compilations of 100 us beside steps of 10: the first is what the program asked for. */
    @Test
    void compilingAgainCostsWhatTheCompilerTook() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 4; i++) {
            fixture.scope("main", 110 * i, 110 * i + 100, "torch.compile forward")
                    .activity(RangeActivity.LOAD)
                    .where("serve.py:13")
                    .text(Attribute.DETAIL, "x [4, " + (16 + i % 3) + "] float32")
                    .scope("main", 110 * i + 100, 110 * i + 110, "forward Model")
                    .activity(RangeActivity.MODEL);
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.claim())
                .isEqualTo(
                        "torch.compile compiled forward 4 times; all but the first take 300 us, 68.2% of the window.");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.advice()).contains("mark_dynamic");
        assertThat(finding.evidence())
                .startsWith(
                        new Evidence.Place("compiled for x [4, 16] float32", "serve.py:13", 200_000, 2),
                        new Evidence.Place("compiled for x [4, 17] float32", "serve.py:13", 100_000, 1));
    }

    /** JAX has no limit, and compiles a function once for each shape. */
    @Test
    void jaxCompilesForEachShape() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.scope("main", 110 * i, 110 * i + 100, "jax.jit forward")
                    .activity(RangeActivity.LOAD)
                    .where("serve.py:13")
                    .text(Attribute.DETAIL, "tensor<" + (100 + i) + "x256xf32>")
                    .scope("main", 110 * i + 100, 110 * i + 110, "forward")
                    .activity(RangeActivity.MODEL);
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.claim())
                .isEqualTo(
                        "jax.jit compiled forward 10 times; all but the first take 900 us, 90.0% of the steady state.");
        assertThat(finding.advice()).contains("JAX_EXPLAIN_CACHE_MISSES").doesNotContain("torch");
        assertThat(finding.evidence())
                .startsWith(new Evidence.Place("compiled for tensor<100x256xf32>", "serve.py:13", 100_000, 1));
    }

    /** The time of compiling is told once, with what helps against compiling again. */
    @Test
    void tensorFlowTracesForEachValueThatIsNoTensor() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.scope("42", 1_100 * i, 1_100 * i + 1_000, "tf.function score")
                    .activity(RangeActivity.LOAD)
                    .where("serve.py:13")
                    .text(Attribute.DETAIL, "x [1, 64] float32, scale=" + i)
                    .scope("42", 1_100 * i + 1_000, 1_100 * i + 1_100, "forward")
                    .activity(RangeActivity.MODEL);
        }

        Timeline timeline = fixture.build();
        Finding finding = found(rule, timeline);

        assertThat(finding.claim())
                .isEqualTo(
                        "tf.function traced score 10 times; all but the first take 9.00 ms, 90.0% of the steady state.");
        assertThat(finding.advice())
                .contains("input_signature", "reduce_retracing")
                .doesNotContain("torch", "JAX");
        assertThat(RuleVerdicts.of(new CompileLoadRule(), timeline))
                .isEqualTo(new Verdict.ToldElsewhere("most of this time is what recompilation reports"));
    }

    @Test
    void aSecondVersionIsNormal() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "torch.compile forward")
                .activity(RangeActivity.LOAD)
                .scope("main", 100, 200, "torch.compile forward")
                .activity(RangeActivity.LOAD);

        assertThat(notApplicable(rule, fixture)).contains("no compiled region");
    }

    @Test
    void onceForDynamicShapesIsNormal() {
        assertThat(clean(rule, regions("0/0", "0/1", "1/0")))
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
