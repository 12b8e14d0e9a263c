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
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class LockSerialisedPoolRuleTest {
    private static final String LINE = "app.py(15): enrich";

    private final Rule rule = new LockSerialisedPoolRule();

    /** Two threads that are each at work for {@code workUs} of 100 us and at a lock in the rest; a third one waits for work all the time. */
    private static TimelineFixture pool(double workUs) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "serve");
        for (String worker : new String[] {"worker_0", "worker_1"}) {
            fixture.state(worker, 0, workUs, workUs, 0, WaitReason.UNKNOWN)
                    .sample(worker, 0, workUs, "app.py(16): enrich")
                    .state(worker, workUs, 100, 0, 0, WaitReason.LOCK)
                    .sample(worker, workUs, 100, LINE);
        }
        return fixture.state("worker_2", 0, 100, 0, 0, WaitReason.FUTEX)
                .sample("worker_2", 0, 100, "/usr/lib/python3.11/queue.py(171): Queue.get");
    }

    @Test
    void namesThePoolAndTheLineThatStandsAtTheLock() {
        Finding finding = found(rule, pool(45).build());

        assertThat(finding.costNs()).isEqualTo(us(55));
        assertThat(finding.causes()).containsExactly(LedgerClass.WAIT_LOCK);
        assertThat(finding.claim()).contains("2 threads of the pool `worker_N`", "0.9 of them are at work at once");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("waiting for a lock", "app.py:15 enrich", us(110), 1),
                        new Evidence.Place("Python", "app.py:16 enrich", us(90), 1));
    }

    /** 1.8 of the two are at work at once. */
    @Test
    void aLockThatLetsMostWorkAtOnceIsNoLoss() {
        assertThat(clean(rule, pool(90).build())).contains("no pool");
    }

    @Test
    void oneThreadAtALockIsNoPool() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 0, 0, WaitReason.LOCK)
                .sample("main", 0, 100, LINE);

        assertThat(clean(rule, fixture.build())).contains("no pool");
    }

    @Test
    void withoutStatesNothingIsSaid() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank().scope("main", 0, 100, "serve").build()))
                .contains("states");
    }

    /** More workers would only stand at the lock. */
    @Test
    void nobodyIsToldToUseMoreWorkers() {
        TimelineFixture fixture = pool(45).state("main", 0, 100, 0, 0, WaitReason.FUTEX)
                .handedOver("worker_0", "main", 0, 100, io.inferscope.timeline.HandOver.FUTURE);

        assertThat(new Analyzer().analyze(fixture.build(), "pool").findings())
                .filteredOn(finding -> finding.rule().equals("waiting-for-worker"))
                .singleElement()
                .satisfies(finding ->
                        assertThat(finding.advice()).contains("take turns").doesNotContain("max_workers"));
    }
}
