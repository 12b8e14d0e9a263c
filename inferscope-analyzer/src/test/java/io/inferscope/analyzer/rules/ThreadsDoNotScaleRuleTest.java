package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** 100 us, 80 of them in the model, on 4 CPUs. */
class ThreadsDoNotScaleRuleTest {
    private final Rule rule = new ThreadsDoNotScaleRule();

    /** 80 + 3 x 8 us on a CPU in 80 us: 1.3 of the 4 that four threads could keep busy. */
    @Test
    void reportsAPoolThatMostlyWaits() {
        Finding finding = found(rule, pool(3, 8));

        assertThat(finding.claim())
                .isEqualTo(
                        "In the 80.0 us in which the model computes, 4 threads keep 1.3 CPUs busy of the 4 that they could: if they shared the work"
                                + " evenly, it would take up to 54.0 us less, 54.0% of the window.");
        assertThat(finding.costNs()).isEqualTo(us(54));
        assertThat(finding.advice()).contains("use fewer threads, 1").doesNotContain("torch");
    }

    @Test
    void pyTorchsOwnSettingIsNamedWherePyTorchRuns() {
        Finding finding =
                found(rule, pool(3, 8).sample("main", 30, 60, "app.py(1): run", "torch/nn/functional.py(9): linear"));

        assertThat(finding.advice()).contains("`OMP_NUM_THREADS=1`", "`torch.set_num_threads(1)`");
    }

    @Test
    void operatorsAreNamedWhereTheyAreRecorded() {
        Finding finding = found(rule, pool(3, 8).operator("main", 30, 60, "aten::addmm"));

        assertThat(finding.evidence().toString()).contains("aten::addmm");
    }

    /** A thread that computes and receives in turns, as samples show it: 40 us of its 100 are the model's. */
    @Test
    void onlyTheTimeOfTheModelCountsWhereSamplesAloneShowIt() {
        TimelineFixture fixture = TimelineFixture.blank()
                .property("process.1.host.cpus", "4")
                .state("main", 0, 100, 40, 0, WaitReason.SOCKET)
                .sample("main", 0, 50, "app.py(7): run", "torch/nn/functional.py(9): linear");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.HOLDS);
        fixture.sample("main", 50, 100, "app.py(8): receive", "called [_socket.so]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.BLOCKED);
        fixture.state("pool", 0, 100, 8, 0, WaitReason.FUTEX);

        assertThat(clean(rule, fixture))
                .isEqualTo("2 threads keep 1.2 CPUs busy in the 40.0% of the window in which the model computes");
    }

    @Test
    void aBusyPoolIsClean() {
        assertThat(clean(rule, pool(3, 60))).startsWith("4 threads keep 3.3 CPUs busy in the 80.0% of the window");
    }

    @Test
    void aPoolWhoseCpusOthersHaveIsClean() {
        TimelineFixture starved = pool(2, 8).state("pool2", 0, 100, 8, 80, WaitReason.FUTEX);
        starved.state("pool3", 0, 100, 8, 80, WaitReason.FUTEX);

        assertThat(clean(rule, starved)).startsWith("5 threads keep 3.2 CPUs busy");
    }

    @Test
    void threadsWithoutCpusToRunOnAreAnotherRulesMatter() {
        assertThat(clean(rule, pool(3, 8).property("process.1.host.cpus", "1")))
                .startsWith("4 threads keep 1.3 CPUs busy");
    }

    @Test
    void threadsWithCodeOfTheirOwnAreNoPool() {
        TimelineFixture fixture = pool(1, 8).sample("pool0", 0, 100, "serve.py(7): poll");

        assertThat(notApplicable(rule, fixture)).contains("no thread pool");
    }

    @Test
    void withoutThreadStatesItSaysNothing() {
        assertThat(notApplicable(rule, TimelineFixture.blank().scope("main", 0, 10, "step")))
                .contains("no thread pool");
    }

    private static TimelineFixture pool(int threads, double onCpuUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .property("process.1.host.cpus", "4")
                .scope("main", 0, 100, "step")
                .scope("main", 20, 100, "forward Net")
                .activity(RangeActivity.MODEL)
                .state("main", 0, 100, 100, 0, WaitReason.UNKNOWN);
        for (int i = 0; i < threads; i++) {
            fixture.state("pool" + i, 0, 100, onCpuUs, 0, WaitReason.FUTEX);
        }
        return fixture;
    }
}
