package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class CompileLoadRuleTest {
    private final Rule rule = new CompileLoadRule();

    @Test
    void reportsTheTimeAndTheLine() {
        Finding finding = found(rule, waiting(60, 100));

        assertThat(finding.costNs()).isEqualTo(us(40));
        assertThat(finding.share()).isEqualTo(0.4);
        assertThat(finding.evidence())
                .filteredOn(Evidence.Place.class::isInstance)
                .extracting(e -> ((Evidence.Place) e).where())
                .contains("serve.py:7 step");
    }

    @Test
    void aProgramWithoutAGpuIsToldNothingOfCuda() {
        TimelineFixture withGpu = waiting(60, 100).kernel("7", 10, 20, "gemm").launchedBy("main", 8, 9);

        assertThat(found(rule, waiting(60, 100)).advice()).doesNotContain("CUDA");
        assertThat(found(rule, withGpu).advice()).contains("CUDA_MODULE_LOADING");
    }

    /** Loading takes 1,500 us of 2,100, none of it in the steady state. */
    @Test
    void aStartThatHappensOnceIsWorthKnowingAndNoMore() {
        Finding finding = found(rule, servesAfterLoading());

        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.claim())
                .startsWith(
                        "Start-up takes 1.50 ms: import torch 900 us, from_pretrained Model 600 us. Loading libraries");
    }

    /** A run without a steady state that mostly imports: a longer one imports as much. */
    @Test
    void importsOfAShortRunAreANoteAndNoGain() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .sample(
                                "main",
                                0,
                                600,
                                "/app/serve.py(3): <module>",
                                "<frozen importlib._bootstrap>(1176): _find_and_load")
                        .sample("main", 600, 1000, "/app/serve.py(9): main"));

        assertThat(finding.costNs()).isEqualTo(us(600));
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.gain()).isNull();
    }

    /** The start took longer, but only what happens again in each step is worth a change. */
    @Test
    void loadingInsideTheSteadyStateStaysLoud() {
        TimelineFixture fixture = servesAfterLoading();
        for (int us = 1_500; us < 2_100; us += 30) {
            fixture.scope("main", us + 20, us + 30, "torch.compile f").activity(RangeActivity.LOAD);
        }

        Finding finding = found(rule, fixture);
        assertThat(finding.claim()).contains("33.3% of the steady state");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    /** In a trace of torch.profiler, torch.compile's stages are operators; it also writes tiny ranges. */
    @Test
    void stagesOfTorchCompileAreThePlace() {
        TimelineFixture fixture = TimelineFixture.blank()
                .host(RowKind.OPERATOR, "main", 0, 80, "_compile.compile_inner (dynamo_timed)")
                .host(RowKind.OPERATOR, "main", 10, 60, "Scheduler.codegen (dynamo_timed)")
                .scope("main", 62, 63, "remove_noop_ops_data: compile_id=0/0")
                .host(RowKind.OPERATOR, "main", 90, 100, "aten::addmm");

        Finding finding = found(rule, fixture);

        assertThat(finding.costNs()).isEqualTo(us(80));
        assertThat(finding.evidence())
                .startsWith(new Evidence.Place("torch.compile", "Scheduler.codegen (dynamo_timed)", us(50), 1));
    }

    /** What recompilation claims is not claimed a second time. */
    @Test
    void compilingAgainIsClaimedOnce() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 500, "import torch").activity(RangeActivity.LOAD);
        for (int i = 0; i < 4; i++) {
            fixture.scope("main", 500 + 110 * i, 600 + 110 * i, "torch.compile forward")
                    .activity(RangeActivity.LOAD)
                    .scope("main", 600 + 110 * i, 610 + 110 * i, "forward Model")
                    .activity(RangeActivity.MODEL);
        }

        Timeline timeline = fixture.build();

        Finding.Gain again = found(new RecompilationRule(), timeline).gain();
        Finding.Gain rest = found(rule, timeline).gain();

        assertThat(again.lowNs()).isCloseTo(us(300), within(us(40)));
        assertThat(rest.lowNs() + again.highNs()).isLessThanOrEqualTo(us(900));
        assertThat(rest.highNs()).isBetween(us(600), us(680));
    }

    /** A steady state is judged, but loading is of the whole window: so are its lines. */
    @Test
    void linesThatLoadBeforeTheSteadyStateAreThePlace() {
        Finding finding = found(rule, servesAfterLoading().sample("main", 0, 1_490, "serve.py(3): <module>"));

        assertThat(finding.evidence())
                .startsWith(new Evidence.Place("compile and load", "serve.py:3 <module>", us(900), 1));
    }

    private static TimelineFixture servesAfterLoading() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 900, "import torch")
                .activity(RangeActivity.LOAD)
                .scope("main", 900, 1_500, "from_pretrained Model")
                .activity(RangeActivity.LOAD);
        for (int us = 1_500; us < 2_100; us += 30) {
            fixture.scope("main", us, us + 30, "forward Model").activity(RangeActivity.MODEL);
        }
        return fixture;
    }

    @Test
    void littleIsNotWorthAFinding() {
        assertThat(clean(rule, waiting(95, 100))).contains("5.0% of the window");
    }

    private static TimelineFixture waiting(double fromUs, double toUs) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .scope("main", fromUs, toUs, "load_model")
                .sample("main", 0, fromUs, "serve.py(7): step")
                .sample("main", fromUs, toUs, "serve.py(7): step");
    }
}
