package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /**
     * Ten steps of a model, each with two kernels. Before the second one, the host is busy until so many microseconds
     * after the first call, and then loads a module.
     */
    private static TimelineFixture steps(double busyUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 10; step++) {
            double atUs = (busyUs + 300) * step;
            double loadUs = atUs + 12 + busyUs;
            fixture.scope("main", atUs, loadUs + 100, "forward Net")
                    .activity(RangeActivity.MODEL)
                    .kernel("7", atUs + 15, atUs + 20, "first")
                    .launchedBy("main", atUs + 10, atUs + 12)
                    .call("main", loadUs, loadUs + 10, "cuLibraryLoadData")
                    .kernel("7", loadUs + 30, loadUs + 80, "built")
                    .launchedBy("main", loadUs + 20, loadUs + 22);
        }
        return fixture;
    }

    /** A server whose requests have a thread each: libraries build anew what they had built for other threads. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNewThreadForEachStepIsNamedAsTheCause(boolean isNew) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 20; step++) {
            double atUs = 300 * step;
            String thread = "request-" + (isNew ? step : step % 2);
            fixture.scope(thread, atUs, atUs + 290, "forward Net")
                    .activity(RangeActivity.MODEL)
                    .call(thread, atUs + 10, atUs + 110, "cuLibraryLoadData")
                    .kernel("7", atUs + 130, atUs + 180, "attention")
                    .launchedBy(thread, atUs + 120, atUs + 122);
        }
        Finding finding = found(rule, fixture);

        assertThat(finding.claim().contains("a thread, a shape or an operator is met"))
                .isEqualTo(isNew);
        assertThat(finding.advice().contains("on the same threads")).isEqualTo(isNew);
    }

    @Test
    void whatTheHostBuildsBeforeItLoadsItCountsToo() {
        Finding finding = found(rule, steps(2000));

        assertThat(finding.claim())
                .contains("in the steady state, and while the host builds what they load, the GPU is idle")
                .endsWith("steps, some shape or operator is met for the first time.");
        assertThat(finding.share()).isGreaterThan(0.8);
        assertThat(finding.places()).contains("forward Net", "built");
        assertThat(finding.gain()).isNotNull();
    }

    @Test
    void buildingIsNoDispatchOfOperators() {
        Ledger building =
                new Analyzer().analyze(steps(2000).build(), "drawing").ledgers().get(0);
        Ledger dispatching =
                new Analyzer().analyze(steps(900).build(), "drawing").ledgers().get(0);

        assertThat(building.share(building.ns(LedgerClass.FRAMEWORK_COMPILE_LOAD)))
                .isGreaterThan(0.8);
        assertThat(dispatching.share(dispatching.ns(LedgerClass.FRAMEWORK_DISPATCH)))
                .isGreaterThan(0.6);
    }

    @Test
    void anotherAttentionThanThatOfCudnnIsAdvisedOnlyWhereItRuns() {
        assertThat(found(rule, steps(2000)).advice()).doesNotContain("cuDNN");
        assertThat(found(
                                rule,
                                steps(2000)
                                        .kernel(
                                                "7",
                                                30_000,
                                                30_001,
                                                "cudnn_generated_fort_native_sdpa_sm90_flash_fprop"))
                        .advice())
                .contains("enable_cudnn_sdp(False)");
    }
}
