package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.time;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class LaunchBoundRuleTest {
    private final Rule rule = new LaunchBoundRule();

    @Test
    void addsDispatchAndLaunchBetweenSmallKernels() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  <aten::mm  ><aten::mm  ><aten::mm  >
                thread main  ..........LL..........LL..........LL
                stream 7     ............KK..........KK..........KK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("3 kernels of 2.00 us on average are too small for the host: the GPU waits 20.0 us"
                        + " (76.9% of its span) while the framework dispatches operators and launches kernels.");
        assertThat(finding.costNs()).isEqualTo(us(20));
        assertThat(finding.share()).isEqualTo(20.0 / 26, within(1e-9));
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.advice()).contains("reduce-overhead").doesNotContain("LLM", "SGLang");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("operator dispatch", "aten::mm", us(16), 2),
                        new Evidence.Place("kernel launch", "cudaLaunchKernel", us(4), 2),
                        count("kernels", 3),
                        time("mean kernel time", us(2)),
                        time("median launch latency", us(2)),
                        count("kernels replayed by graphs", 0));
    }

    @Test
    void graphReplaysHaveNoLaunchLatencyToShow() {
        Finding finding = found(rule, """
                us           0         10        20
                thread main  GGGG......GGGG
                stream 7     ....KK........KK
                links in order
                """);

        assertThat(finding.evidence()).contains(count("kernels replayed by graphs", 2));
        assertThat(finding.evidence()).noneMatch(e -> e.label().equals("median launch latency"));
        assertThat(finding.claim()).contains("inside 1 graph launches").contains("exists under the tracer only");
        assertThat(finding.advice()).contains("replayed by graphs already").doesNotContain("reduce-overhead");
    }

    @Test
    void largeKernelsAreNotCalledSmall() {
        assertThat(found(rule, """
                        us           0         10        20        30        40        50        60        70
                        thread main  LL..............................<aten::mm>LL
                        stream 7     ..KKKKKKKKKKKKKKKKKKKKKKKKKKKKKK............KKKKKKKKKKKKKKKKKKKKKKKKKKKKKK
                        links in order
                        """).claim())
                .isEqualTo(
                        "The GPU waits 12.0 us (16.7% of its span) while the framework dispatches operators and launches"
                                + " kernels, although its 2 kernels take 30.0 us on average.");
    }

    @Test
    void launchingUnderARunningKernelCostsNothing() {
        assertThat(clean(rule, """
                        us           0         10        20
                        thread main  LLLLLLLL..
                        thread main  ..........
                        thread two   ........LL
                        stream 7     ........KKKKKKKKkkkkkkkk
                        links in order
                        """)).isEqualTo("the framework's dispatching and launching take 0.0% of the span");
    }

    @Test
    void launchingAfterAWaitForTheGpuIsAMatterOfTheWait() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  LL....YYYY........LL....YYYY
                        thread main  ..........<aten::><aten::mm>
                        stream 7     ....KKKK............KKKK
                        links in order
                        """))
                .isEqualTo(
                        "10.0 us of the 10.0 us of dispatching and launching follow waits for the GPU: see blocking-sync");
    }

    @Test
    void copiesAloneAreNotLaunchBound() {
        assertThat(clean(rule, """
                        us           0         10        20        30
                        thread main  LL........<aten::to>LL
                        stream 7     ..HHHHHHHH............HHHHHHHH
                        links in order
                        """)).isEqualTo("no kernel is recorded");
    }

    @Test
    void codeBetweenGraphReplaysLaunchesNothing() {
        TimelineFixture steps = TimelineFixture.blank();
        for (int i = 0; i < 4; i++) {
            steps.graphLaunch("main", 50 * i, 50 * i + 2)
                    .kernel("7", 50 * i + 2, 50 * i + 12, "gemm")
                    .replayed()
                    .kernel("7", 50 * i + 12, 50 * i + 14, "norm")
                    .replayed()
                    .python("main", 50 * i + 3, 50 * i + 49, "sglang/grammar.py(12): fill_mask");
        }
        Finding finding = found(rule, steps.build());

        assertThat(finding.claim())
                .contains(
                        "while the framework's own code runs between graph launches: 8 kernels are replayed by graphs,"
                                + " and 0 are launched one by one.");
        assertThat(finding.advice())
                .startsWith("Prepare a step while the GPU computes the one before it")
                .doesNotContain("capture");
        assertThat(finding.evidence()).anyMatch(e -> e.toString().contains("sglang/grammar.py:12 fill_mask"));
    }
}
