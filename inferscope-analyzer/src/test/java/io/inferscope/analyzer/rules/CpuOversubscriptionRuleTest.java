package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** 1 s, in which the judged thread is 250 ms on a CPU, 250 ms runnable and 500 ms blocked on a futex, beside a pool on 2 CPUs. */
class CpuOversubscriptionRuleTest {
    private final Rule rule = new CpuOversubscriptionRule();

    /** 7 threads are ready for 1 s each and get a quarter of it: 250 ms of the judged thread's own, and three quarters of the 500. */
    @Test
    void reportsWhatTooManyThreadsCostTheJudgedOne() {
        Finding finding = found(rule, pool(7, 250, 750).property("process.1.host.cpus", "2"));

        assertThat(finding.costNs()).isEqualTo(us(625_000));
        assertThat(finding.claim())
                .isEqualTo(
                        "For 1.00 s, 8 threads of one process share 2 CPUs (7.5 are ready to run at once): the judged thread waits"
                                + " 625 ms, 62.5% of the window, for a CPU or for threads that have none.");
        assertThat(finding.advice()).contains("`OMP_NUM_THREADS=2`").doesNotContain("torch");
        assertThat(finding.evidence()).contains(new Evidence.Quantity("CPUs that the process can use", 2, "count"));
    }

    /** The compilers of a JVM crowd the CPUs, but nobody waits on a futex for them. */
    @Test
    void aThreadThatIsBlockedLosesNothingToTheThreadsOfItsJvm() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 1_000_000, 0, 0, WaitReason.FUTEX)
                .sample("main", 0, 1_000_000, "Jobs.java(7): Jobs.main")
                .property("process.1.host.cpus", "2");
        for (int i = 0; i < 7; i++) {
            fixture.state("C2 CompilerThread" + i, 0, 1_000_000, 250_000, 750_000, WaitReason.UNKNOWN);
        }

        assertThat(clean(rule, fixture)).contains("cost its judged thread 0.0%");
    }

    @Test
    void aLimitOfTheControlGroupCountsAsFewerCpus() {
        Finding finding = found(
                rule,
                pool(7, 250, 750)
                        .property("process.1.host.cpus", "64")
                        .property("host.cgroup.cpu_limit_cores", "1.50"));

        assertThat(finding.claim()).contains("share 1.5 CPUs");
        assertThat(finding.advice()).contains("`OMP_NUM_THREADS=1`");
    }

    @Test
    void threadsWithCodeOfTheirOwnAreNoLibrarysPool() {
        TimelineFixture fixture = pool(7, 250, 750).property("process.1.host.cpus", "2");
        for (int i = 0; i < 7; i++) {
            fixture.sample("pool" + i, 0, 1_000_000, "serve.py(7): work");
        }

        assertThat(found(rule, fixture).advice()).contains("`max_workers=2`");
    }

    /** A program in Rust: its native stacks are all that is known of its threads. */
    @Test
    void threadsOfANativeProgramRunItsOwnCode() {
        TimelineFixture fixture = pool(7, 250, 750)
                .property("process.1.runtime", "")
                .property("process.1.host.cpus", "2")
                .sample("main", 0, 1_000_000, "words::main [words]");
        for (int i = 0; i < 7; i++) {
            fixture.sample("pool" + i, 0, 1_000_000, "words::tokenize [words]");
        }

        assertThat(found(rule, fixture).advice())
                .isEqualTo("Use no more worker threads than CPUs: 2 in all pools together.");
    }

    @Test
    void asManyThreadsAsCpusAreClean() {
        assertThat(clean(rule, pool(1, 750, 250).property("process.1.host.cpus", "2")))
                .isEqualTo("more threads of the process than its 2 CPUs cost its judged thread 0.0% of the window");
    }

    @Test
    void threadsOfAnotherProcessAreNotThisRulesMatter() {
        assertThat(clean(rule, pool(0, 0, 0).property("process.1.host.cpus", "1")))
                .contains("0.0% of the window");
    }

    @Test
    void withoutTheNumberOfCpusItSaysNothing() {
        assertThat(notApplicable(rule, pool(7, 250, 750))).contains("the number of CPUs");
    }

    private static TimelineFixture pool(int threads, double onCpuMs, double runnableMs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .property("process.1.runtime", "CPython 3.12.3")
                .scope("main", 0, 1_000_000, "generate")
                .state("main", 0, 1_000_000, 250_000, 250_000, WaitReason.FUTEX);
        for (int i = 0; i < threads; i++) {
            fixture.state("pool" + i, 0, 1_000_000, 1_000 * onCpuMs, 1_000 * runnableMs, WaitReason.FUTEX);
        }
        return fixture;
    }
}
