package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaitingForWorkerRuleTest {
    private final Rule rule = new WaitingForWorkerRule();

    @Test
    void namesTheWorkersLine() {
        Finding finding = found(rule, waiting(60));

        assertThat(finding.costNs()).isEqualTo(us(60));
        assertThat(finding.claim()).contains("thread worker");
        assertThat(finding.evidence())
                .contains(new Evidence.Place("preprocessing in thread worker", "PIL/Image.py:3 open", us(60), 1));
    }

    /** The worker is asked for a result and waits for a lock itself: its own lines are not what to make cheaper. */
    @Test
    void aWorkerThatMostlyWaitsForALockIsToldByTheLock() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .scope("main", 0, 100, "step")
                        .state("main", 0, 100, 0, 0, WaitReason.FUTEX)
                        .state("worker", 0, 80, 0, 0, WaitReason.LOCK)
                        .sample("worker", 0, 80, "app.py(27): note")
                        .state("worker", 80, 100, 20, 0, WaitReason.UNKNOWN)
                        .sample("worker", 80, 100, "app.py(30): join")
                        .handedOver("worker", "main", 0, 100, HandOver.FUTURE));

        assertThat(finding.places()).startsWith("app.py:27 note");
        assertThat(finding.causes()).containsExactly(LedgerClass.WAIT_LOCK);
        assertThat(finding.advice()).contains("hold the lock for a shorter time");
    }

    @ParameterizedTest
    @CsvSource({
        "vllm engine core, vllm/v1/core/sched/scheduler.py(3): schedule, INFO",
        "vllm engine core, plugin.py(3): rewrite, CRITICAL",
        "fork, PIL/Image.py(3): open, CRITICAL"
    })
    void whatAnEngineDoesForARequestIsNoLoss(String role, String frame, Finding.Severity severity) {
        TimelineFixture fixture = TimelineFixture.blank()
                .property("process.1.role", role)
                .scope("main", 0, 100, "serve")
                .state("main", 0, 100, 0, 0, WaitReason.FUTEX)
                .state("core", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("core", 0, 100, frame)
                .handedOver("core", "main", 0, 100);

        assertThat(found(rule, fixture).severity()).isEqualTo(severity);
    }

    /** As with continuous batching in a thread of the library; own code in it is a loss. */
    @ParameterizedTest
    @CsvSource({
        "vllm/v1/core/sched/scheduler.py(3): schedule, INFO",
        "plugin.py(3): rewrite, CRITICAL",
        "PIL/Image.py(3): open, INFO"
    })
    void whatAThreadThatStepsTheModelDoesBesideItIsNoLoss(String frame, Finding.Severity severity) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "serve")
                .state("main", 0, 100, 0, 0, WaitReason.FUTEX)
                .state("steps", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .scope("steps", 0, 60, "forward Model")
                .activity(RangeActivity.MODEL)
                .sample("steps", 60, 100, frame)
                .handedOver("steps", "main", 0, 100);

        assertThat(found(rule, fixture).severity()).isEqualTo(severity);
    }

    @ParameterizedTest
    @CsvSource({"100, 0", "30, 70"})
    void aPoolThatComputesTheModelOrGetsNoCpuForItIsNoLoss(double onCpuUs, double readyUs) {
        TimelineFixture fixture = waiting()
                .state("pool", 0, 100, onCpuUs, readyUs, WaitReason.UNKNOWN)
                .scope("pool", 0, 100, "forward Model")
                .activity(RangeActivity.MODEL)
                .handedOver("pool", "main", 0, 100);

        assertThat(clean(rule, fixture)).contains("0.0%");
    }

    /** Ahead of the thread, workers that get no CPU would take it from the thread. */
    @ParameterizedTest
    @CsvSource({"2, true", "40, false"})
    void whatAWorkerWaitsForACpuIsNotSurelySaved(double queuedUs, boolean claims) {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .scope("main", 0, 100, "serve")
                        .state("main", 0, 80, 0, 0, WaitReason.FUTEX)
                        .state("main", 80, 100, 20, 0, WaitReason.UNKNOWN)
                        .state("worker", 0, 80, 80 - queuedUs, queuedUs, WaitReason.UNKNOWN)
                        .sample("worker", 0, 80, "PIL/Image.py(3): open")
                        .handedOver("worker", "main", 0, 80)
                        .build());

        assertThat(finding.gain() != null).isEqualTo(claims);
        if (claims) {
            assertThat(finding.gain().lowNs()).isEqualTo(us(79.8 - queuedUs));
        } else {
            assertThat(finding.noGainBecause()).contains("would compete with it for the CPUs");
        }
    }

    /** 1 % and 37 % of the 20 us that are left, which ran beside the worker. */
    @Test
    void withoutTheWorkerBesideItTheRestMayRunMuchFaster() {
        Finding finding = found(rule, waiting(80));

        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isEqualTo(us(79.8));
        assertThat(finding.gain().highNs()).isEqualTo(us(87.4));
    }

    @Test
    void aWorkersOwnWorkStandsBeforeWhatItWaitsFor() {
        TimelineFixture fixture = waiting()
                .state("feeder", 0, 60, 0, 60, WaitReason.UNKNOWN)
                .sample("feeder", 0, 60, "pool.py(9): feed")
                .state("worker", 60, 100, 40, 0, WaitReason.UNKNOWN)
                .sample("worker", 60, 100, "PIL/Image.py(3): open")
                .handedOver("feeder", "main", 0, 60)
                .handedOver("worker", "main", 60, 100);

        Finding finding = found(rule, fixture);

        assertThat(finding.claim())
                .isEqualTo(
                        "The program waits 100 us, 100.0% of the window, for work of its other threads and processes,"
                                + " above all thread worker.");
        assertThat(finding.evidence())
                .filteredOn(Evidence.Place.class::isInstance)
                .extracting(e -> ((Evidence.Place) e).where())
                .containsExactly("PIL/Image.py:3 open", "pool.py:9 feed");
        assertThat(finding.advice()).contains("prefetch_factor");
    }

    /** The worker computes for 20 of the 100 us, and waits for an answer in the rest: that is no work of its own. */
    @Test
    void whatAWorkerWaitsForOutsideIsNotItsWork() {
        TimelineFixture fixture = waiting()
                .state("worker", 0, 80, 0, 0, WaitReason.SOCKET)
                .sample("worker", 0, 80, "app.py(5): ask")
                .state("worker", 80, 100, 20, 0, WaitReason.UNKNOWN)
                .sample("worker", 80, 100, "app.py(6): answer")
                .handedOver("worker", "main", 0, 100);

        Finding finding = found(rule, fixture);

        assertThat(finding.costNs()).isEqualTo(us(20));
        assertThat(finding.evidence())
                .filteredOn(Evidence.Place.class::isInstance)
                .extracting(e -> ((Evidence.Place) e).where())
                .containsExactly("app.py:6 answer");
    }

    /** A helper thread of a pool packs the items; more workers would make it pack no less. */
    @ParameterizedTest
    @CsvSource({
        "70, /usr/lib/python3.11/multiprocessing/reduction.py(51): ForkingPickler.dumps, shared_memory",
        "30, /usr/lib/python3.11/multiprocessing/reduction.py(51): ForkingPickler.dumps, num_workers",
        "70, /v/lib/python3.11/site-packages/joblib/externals/loky/backend/queues.py(236): SimpleQueue.put, shared_memory",
        "70, /v/lib/python3.11/site-packages/cloudpickle/cloudpickle.py(1313): Pickler.dump, shared_memory",
        "70, torch/multiprocessing/reductions.py(538): rebuild_storage_fd, shared_memory"
    })
    void workThatOnlyPassesDataBetweenProcessesIsNotMadeFasterByMoreOfThem(
            double passesUs, String frame, String expected) {
        TimelineFixture fixture = waiting()
                .state("results", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("results", 0, passesUs, frame)
                .sample("results", passesUs, 100, "PIL/Image.py(3): open")
                .handedOver("results", "main", 0, 100);

        assertThat(found(rule, fixture).advice()).contains(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "PIPE, num_workers",
        "FUTURE, max_workers",
        "SOCKET, several requests at once",
        "START, or start it earlier"
    })
    void adviceIsOfTheMeans(HandOver means, String expected) {
        assertThat(found(rule, waiting(60, means)).advice()).contains(expected);
    }

    /** With both CPUs in use, by whatever program, more workers would only share them. */
    @ParameterizedTest
    @CsvSource({"QUEUE, 100, true", "QUEUE, 40, false", "FUTURE, 100, true", "FUTURE, 40, false"})
    void moreWorkersAreAdvisedWhereACpuIsFree(HandOver means, double othersUs, boolean busy) {
        TimelineFixture fixture = waiting(60, means)
                .property("process.1.host.cpus", "2")
                .counter("host.cpu_busy_ns", 0, 0)
                .counter("host.cpu_busy_ns", 100, us(100 + othersUs));

        String advice = found(rule, fixture).advice();
        assertThat(advice.contains("the CPUs are busy")).isEqualTo(busy);
        assertThat(advice.contains(means == HandOver.QUEUE ? "use more workers" : "give the pool more workers"))
                .isEqualTo(!busy);
    }

    /** The worker gives a future's result for which it waits itself, 50 of the 60 us, for a pipe. */
    @Test
    void adviceIsOfTheMeansByWhichTheGiverGotIt() {
        TimelineFixture fixture = waiting(60, HandOver.FUTURE)
                .sample("decoder", 0, 100, "decode.py(5): decode")
                .handedOver("decoder", "worker", 5, 55, HandOver.PIPE);

        assertThat(found(rule, fixture).advice()).contains("num_workers");
    }

    /** The pipe has 5 us, the start of a worker 55 us, of which one lies within the wait for the pipe. */
    @Test
    void aWaitThatBeginsInsideOfAnotherCountsFromItsEnd() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, 60, 0, 0, WaitReason.FUTEX)
                .state("main", 60, 100, 40, 0, WaitReason.UNKNOWN)
                .state("worker", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 100, "PIL/Image.py(3): open")
                .handedOver("worker", "main", 0, 5, HandOver.PIPE)
                .handedOver("worker", "main", 4, 60, HandOver.START);

        assertThat(found(rule, fixture).advice()).contains("or start it earlier");
    }

    /** The start waits for 1,500 us, the steady state of 600 us for 200 us of its own. */
    @Test
    void whatTheStartWaitedForIsNotSavedInTheSteadyState() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 1_600, "from_pretrained Model")
                .activity(RangeActivity.LOAD)
                .state("main", 0, 1_500, 0, 0, WaitReason.FUTEX)
                .state("main", 1_500, 1_600, 100, 0, WaitReason.UNKNOWN)
                .handedOver("worker", "main", 0, 1_500);
        for (int us = 1_600; us < 2_200; us += 30) {
            fixture.scope("main", us, us + 30, "forward Model")
                    .activity(RangeActivity.MODEL)
                    .state("main", us, us + 10, 0, 0, WaitReason.FUTEX)
                    .state("main", us + 10, us + 30, 20, 0, WaitReason.UNKNOWN)
                    .handedOver("worker", "main", us, us + 10);
        }
        fixture.state("worker", 0, 2_200, 2_200, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 2_200, "PIL/Image.py(3): open");

        Finding finding = found(rule, fixture);

        assertThat(finding.of()).startsWith("steady state");
        assertThat(finding.costNs()).isBetween(us(180), us(200));
        assertThat(finding.gain() == null ? us(200) : finding.gain().highNs()).isLessThanOrEqualTo(us(600));
        assertThat(finding.gain() == null ? 0 : finding.gain().lowNs()).isLessThanOrEqualTo(us(200));
    }

    /** The worker works for 10 us of the 80: the socket that it waits for before that is no gain of its work. */
    @Test
    void nothingIsPromisedWhereMostOfTheWaitsAreForOthers() {
        Finding finding = found(
                new WaitingForWorkerRule(),
                TimelineFixture.blank()
                        .scope("main", 0, 100, "step")
                        .state("main", 0, 80, 0, 0, WaitReason.FUTEX)
                        .state("main", 80, 100, 20, 0, WaitReason.UNKNOWN)
                        .scope("worker", 0, 70, "receive")
                        .scope("worker", 70, 80, "tokenize")
                        .state("worker", 0, 70, 0, 0, WaitReason.SOCKET)
                        .state("worker", 70, 80, 10, 0, WaitReason.UNKNOWN)
                        .handedOver("worker", "main", 0, 80));

        assertThat(finding.costNs()).isEqualTo(us(10));
        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause()).contains("most of that is no work of theirs");
    }

    @Test
    void shortWaitsAreNotWorthAFinding() {
        assertThat(clean(rule, waiting(2))).contains("2.0% of the window");
    }

    @Test
    void withoutHandOversAndStacksNothingIsKnown() {
        assertThat(notApplicable(rule, waiting())).contains("neither hand-overs");
    }

    /** A main thread that waits for 100 us. */
    private static TimelineFixture waiting() {
        return TimelineFixture.blank().scope("main", 0, 100, "step").state("main", 0, 100, 0, 0, WaitReason.FUTEX);
    }

    private static TimelineFixture waiting(double untilUs) {
        return waiting(untilUs, HandOver.QUEUE);
    }

    private static TimelineFixture waiting(double untilUs, HandOver means) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, untilUs, 0, 0, WaitReason.FUTEX)
                .state("main", untilUs, 100, 100 - untilUs, 0, WaitReason.UNKNOWN)
                .state("worker", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 100, "PIL/Image.py(3): open")
                .handedOver("worker", "main", 0, untilUs, means);
    }
}
