package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockSerialisedPoolRuleTest {
    private static final String LINE = "app.py(15): enrich";

    private final Rule rule = new LockSerialisedPoolRule();

    private static void works(TimelineFixture fixture, String worker, double fromUs, double toUs, String... frames) {
        fixture.state(worker, fromUs, toUs, toUs - fromUs, 0, WaitReason.UNKNOWN)
                .sample(worker, fromUs, toUs, frames);
    }

    private static void stands(
            TimelineFixture fixture, String worker, double fromUs, double toUs, WaitReason at, String... frames) {
        fixture.state(worker, fromUs, toUs, 0, 0, at).sample(worker, fromUs, toUs, frames);
    }

    /** Two threads that take turns: one is at work for the first half of 100 us, the other for the second. */
    private static TimelineFixture turns(WaitReason at, String[] working, String[] standing) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "serve");
        works(fixture, "worker_0", 0, 50, working);
        stands(fixture, "worker_0", 50, 100, at, standing);
        stands(fixture, "worker_1", 0, 50, at, standing);
        works(fixture, "worker_1", 50, 100, working);
        return fixture;
    }

    /** Two threads that take turns at a lock; a third one waits for work all the time. */
    private static TimelineFixture pool() {
        return turns(WaitReason.LOCK, new String[] {"app.py(16): enrich"}, new String[] {LINE})
                .state("worker_2", 0, 100, 0, 0, WaitReason.FUTEX)
                .sample("worker_2", 0, 100, "/usr/lib/python3.11/queue.py(171): Queue.get");
    }

    @Test
    void namesThePoolAndTheLineThatStandsAtTheLock() {
        Finding finding = found(rule, pool());

        assertThat(finding.costNs()).isEqualTo(us(50));
        assertThat(finding.causes()).containsExactly(LedgerClass.WAIT_LOCK);
        assertThat(finding.claim()).contains("2 threads of the pool `worker_N`", "1.0 of them are at work at once");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("waiting for a lock", "app.py:15 enrich", us(100), 1),
                        new Evidence.Place("Python", "app.py:16 enrich", us(100), 1));
    }

    /** 1.8 of the two are at work at once. */
    @Test
    void aLockThatLetsMostWorkAtOnceIsNoLoss() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "serve");
        for (String worker : new String[] {"worker_0", "worker_1"}) {
            works(fixture, worker, 0, 90, "app.py(16): enrich");
            stands(fixture, worker, 90, 100, WaitReason.LOCK, LINE);
        }

        assertThat(clean(rule, fixture)).contains("no pool");
    }

    /** Whatever both of them wait for, none of them holds it. */
    @Test
    void threadsThatStandAtTheSameTimeDoNotKeepEachOtherWaiting() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "serve");
        for (String worker : new String[] {"worker_0", "worker_1"}) {
            works(fixture, worker, 0, 45, "app.py(16): enrich");
            stands(fixture, worker, 45, 100, WaitReason.LOCK, LINE);
        }

        assertThat(clean(rule, fixture)).contains("no pool");
    }

    /** A wait on a futex says not what for; the function that both were given says it. */
    @Test
    void aLockInWhatThreadsWereGivenIsNamed() {
        String run = "/usr/lib/python3.11/threading.py(982): Thread.run";
        String loop = "/usr/lib/python3.11/concurrent/futures/thread.py(83): _worker";
        Finding finding = found(
                rule,
                turns(WaitReason.FUTEX, new String[] {run, loop, "app.py(16): enrich", "db.py(3): save"}, new String[] {
                    run, loop, LINE
                }));

        assertThat(finding.costNs()).isEqualTo(us(50));
    }

    /** A queue in C, or a lock of its own as a signal: a thread of a pool waits for work in the function that it was started with. */
    @Test
    void theLoopOfAThreadWaitsForWork() {
        String run = "/usr/lib/python3.11/threading.py(982): Thread.run";
        TimelineFixture fixture = turns(
                WaitReason.FUTEX, new String[] {run, "app.py(8): worker"}, new String[] {run, "app.py(6): worker"});

        assertThat(clean(rule, fixture)).contains("no pool");
    }

    /** All threads that wait at a queue in C wait on one futex. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "called [_queue.cpython-312-x86_64-linux-gnu.so]",
                "/usr/lib/python3.12/multiprocessing/pool.py(114): worker",
                "/usr/lib/python3.12/concurrent/futures/thread.py(89): _worker"
            })
    void whatTakesWorkWaitsForNoLock(String takes) {
        String run = "/usr/lib/python3.12/threading.py(982): Thread.run";
        String[] standing = {run, "app.py(6): worker", "app.py(12): serve", takes};
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "serve");
        works(fixture, "worker_0", 0, 50, run, "app.py(6): worker", "app.py(13): serve");
        works(fixture, "worker_1", 50, 100, run, "app.py(6): worker", "app.py(13): serve");
        for (int i = 0; i < 2; i++) {
            fixture.sample("worker_" + i, 50 - 50 * i, 100 - 50 * i, standing)
                    .state("worker_" + i, 50 - 50 * i, 100 - 50 * i, 0, 0, WaitReason.FUTEX);
            fixture.builder().attribute(fixture.lastRow(), Attribute.FUTEX, 4096);
        }

        assertThat(clean(rule, fixture)).contains("no pool");
    }

    /** Who works is not in the function that waits: it holds nothing that is taken there. */
    @Test
    void aFunctionThatFetchesWorkIsNoLock() {
        String run = "/usr/lib/python3.11/threading.py(982): Thread.run";
        TimelineFixture fixture =
                turns(WaitReason.FUTEX, new String[] {run, "app.py(8): worker", "app.py(20): handle"}, new String[] {
                    run, "app.py(6): worker", "app.py(12): next_item"
                });

        assertThat(clean(rule, fixture)).contains("no pool");
    }

    /** The system names threads that nobody named after their process. */
    @Test
    void threadsThatNobodyNamedAreNoPool() {
        TimelineFixture fixture = pool();
        for (String thread : new String[] {"1", "worker_0", "worker_1"}) {
            fixture.state(thread, 100, 101, 1, 0, WaitReason.UNKNOWN);
            TimelineBuilder builder = fixture.builder();
            builder.trackName(builder.trackAt(fixture.lastRow()), "python");
        }

        assertThat(clean(rule, fixture)).contains("no pool");
    }

    @Test
    void oneThreadAtALockIsNoPool() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 0, 0, WaitReason.LOCK)
                .sample("main", 0, 100, LINE);

        assertThat(clean(rule, fixture)).contains("no pool");
    }

    @Test
    void withoutStatesNothingIsSaid() {
        assertThat(notApplicable(rule, TimelineFixture.blank().scope("main", 0, 100, "serve")))
                .contains("states");
    }

    /** More workers would only stand at the lock. */
    @Test
    void nobodyIsToldToUseMoreWorkers() {
        TimelineFixture fixture = pool().state("main", 0, 100, 0, 0, WaitReason.FUTEX)
                .handedOver("worker_0", "main", 0, 100, io.inferscope.timeline.HandOver.FUTURE);

        assertThat(new Analyzer().analyze(fixture.build(), "pool").findings())
                .filteredOn(finding -> finding.rule().equals("waiting-for-worker"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.advice())
                        .contains("that the workers share")
                        .doesNotContain("max_workers"));
    }

    /** What another pool takes turns at says nothing of the one that is waited for. */
    @Test
    void whoeverWaitsForAnotherPoolMayUseMoreWorkers() {
        TimelineFixture fixture = pool().state("main", 0, 100, 0, 0, WaitReason.FUTEX);
        works(fixture, "load_0", 0, 100, "app.py(30): load");
        fixture.handedOver("load_0", "main", 0, 100, io.inferscope.timeline.HandOver.FUTURE);

        assertThat(new Analyzer().analyze(fixture.build(), "pool").findings())
                .filteredOn(finding -> finding.rule().equals("waiting-for-worker"))
                .singleElement()
                .satisfies(finding ->
                        assertThat(finding.advice()).contains("max_workers").doesNotContain("that the workers share"));
    }
}
