package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class TrainingModeRuleTest {
    private final Rule rule = new TrainingModeRule();

    /** Ten passes of 10 us. In the first {@code some}, a counter is written. */
    private static TimelineFixture passes(String counter, int some) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "forward Net").activity(RangeActivity.MODEL);
        }
        for (int i = 0; i < some; i++) {
            fixture.counter(counter, 10 * i + 9, 1);
        }
        return fixture;
    }

    @Test
    void aGraphThatNothingUsesIsANote() {
        Finding finding = found(rule, passes("model.graph_passes", 10));

        assertThat(finding.claim())
                .startsWith("10 of 10 forward passes record a graph for gradients, and nothing computes any");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.advice())
                .startsWith("Run the model under `torch.inference_mode()`")
                .doesNotContain("eval");
    }

    @Test
    void besideMuchDispatchingItIsAWarning() {
        Finding finding = found(
                rule,
                passes("model.graph_passes", 10)
                        .scope("main", 1, 9, "Tensor.to")
                        .activity(RangeActivity.COPY));

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.claim()).endsWith("which it makes longer, take 8.0% of the steady state.");
    }

    @Test
    void dropoutThatDrawsMakesResultsRandom() {
        Finding finding = found(rule, passes("model.dropout_passes", 10));

        assertThat(finding.claim()).isEqualTo("Dropout is active: results are random.");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.advice()).isEqualTo("Call `model.eval()` once after loading.");
    }

    @Test
    void batchNormOfTheBatchMakesResultsDependOnIt() {
        assertThat(found(rule, passes("model.batch_norm_passes", 10)).claim())
                .startsWith("Batch normalisation uses each batch's own statistics");
    }

    @Test
    void operatorsShowBothInATrace() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .operator("main", 0, 9, "aten::dropout")
                        .operator("main", 1, 8, "aten::native_dropout")
                        .property(TimelineInfo.GRAPH_NODES, "120"));

        assertThat(finding.claim())
                .startsWith("Operators record 120 nodes of a graph for gradients")
                .endsWith("Dropout is active: results are random.");
        assertThat(finding.advice()).startsWith("Call `model.eval()`").contains("inference_mode");
    }

    @Test
    void drawingElsewhereIsNotDropout() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .operator("main", 0, 9, "aten::multinomial")
                                .operator("main", 1, 8, "aten::bernoulli_")))
                .isEqualTo("of 0 forward passes, 0 record a graph for gradients, and 0 draw for dropout");
    }

    @Test
    void aFewPassesAtTheStartAreClean() {
        assertThat(clean(rule, passes("model.graph_passes", 2)))
                .isEqualTo("of 10 forward passes, 2 record a graph for gradients, and 0 draw for dropout");
    }

    @Test
    void trainingIsClean() {
        String training = "gradients are computed: this is training";
        assertThat(clean(rule, passes("model.graph_passes", 10).counter("model.backward_passes", 99, 1)))
                .isEqualTo(training);
        assertThat(clean(
                        rule,
                        passes("model.dropout_passes", 10)
                                .operator("main", 100, 110, "autograd::engine::evaluate_function: AddmmBackward0")))
                .isEqualTo(training);
    }

    @Test
    void kernelsOfTrainingModeShowItWithoutOperators() {
        assertThat(found(rule, withKernel("gemm")).claim())
                .startsWith(
                        "Dropout is active: results are random. Batch normalisation uses each batch's own statistics");
        assertThat(clean(rule, withKernel("cudnn::bn_bw_1C11_kernel_new")))
                .as("gradients are computed")
                .contains("0 draw for dropout");
        assertThat(clean(rule, withKernel("void FusedAdamCuda<float>"))).contains("0 draw for dropout");
        assertThat(found(rule, withKernel("fast_hadamard_transform_kernel")).claim())
                .as("no optimizer, whatever letters its name holds")
                .startsWith("Dropout is active");
    }

    /** 20 steps of 100 us after one of 10 ms, in which dropout draws. */
    @Test
    void dropoutBeforeTheSteadyStateIsClean() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.scope("main", 0, 10_000, "ProfilerStep#0")
                .operator("main", 1, 9, "aten::dropout")
                .operator("main", 2, 8, "aten::native_dropout")
                .kernel("7", 14, 20, "void at::native::fused_dropout_kernel_vec")
                .launchedBy("main", 10, 12);
        for (int i = 0; i < 20; i++) {
            int fromUs = 10_000 + 100 * i;
            fixture.scope("main", fromUs, fromUs + 100, "ProfilerStep#" + (i + 1))
                    .kernel("7", fromUs + 4, fromUs + 90, "gemm")
                    .launchedBy("main", fromUs, fromUs + 2);
        }

        assertThat(clean(rule, fixture)).endsWith("0 draw for dropout");
    }

    private static Timeline withKernel(String last) {
        return TimelineFixture.blank()
                .kernel("7", 4, 10, "void at::native::fused_dropout_kernel_vec")
                .launchedBy("main", 0, 2)
                .kernel("7", 14, 20, "cudnn::bn_fw_tr_1C11_kernel_NCHW")
                .launchedBy("main", 10, 12)
                .kernel("7", 24, 30, last)
                .launchedBy("main", 20, 22)
                .build();
    }
}
