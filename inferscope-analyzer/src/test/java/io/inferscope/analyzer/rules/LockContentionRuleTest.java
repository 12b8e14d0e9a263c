package io.inferscope.analyzer.rules;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Activity;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockContentionRuleTest extends HostTimeRuleContract {
    LockContentionRuleTest() {
        super(new LockContentionRule(), 2);
    }

    @Override
    TimelineFixture spend(TimelineFixture fixture, double fromUs, double toUs) {
        return fixture.state("main", fromUs, toUs, 0, 0, WaitReason.LOCK);
    }

    /** On a futex, where no other thread is known to use it. */
    @ParameterizedTest
    @CsvSource({
        "lock [python], 0, true", // Who holds it sleeps.
        "serve.py(7): step, 0, false", // An iterator, say, which waits in C.
        "called [queue.so], 0, false",
        "serve.py(7): step, 100, true", // Another thread works, and may hold it.
        "called [queue.so], 100, false"
    })
    void aFutexIsALockWhereOneIsTakenOrAnotherThreadWorks(String innermost, double otherRunsUs, boolean isLock) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "serve.py")
                .activity(Activity.INTERPRETER)
                .sample("main", 0, 100, "serve.py(3): load", innermost)
                .state("main", 0, 100, 0, 0, WaitReason.FUTEX)
                .sample("other", 0, 100, "threading.py(982): run", "serve.py(20): hold")
                .state("other", 0, 100, otherRunsUs, 0, WaitReason.TIMER);

        Verdict verdict = RuleVerdicts.of(new LockContentionRule(), fixture.build());

        assertThat(verdict instanceof Verdict.Found).isEqualTo(isLock);
    }

    @Test
    void aNativeProgramsLockIsWhereItIsWaitedForAndNotWhereItsHolderWasSampled() {
        Finding finding = RuleVerdicts.found(
                new LockContentionRule(),
                TimelineFixture.blank()
                        .state("1", 0, 40, 40, 0, WaitReason.UNKNOWN)
                        .state("1", 40, 100, 0, 0, WaitReason.LOCK)
                        .heldBy(7)
                        .sample("1", 0, 40, "p.cpp(11): digest [p]")
                        .sample("1", 40, 100, "p.cpp(13): record [p]", "__x64_sys_futex [kernel]")
                        .state("7", 0, 100, 30, 0, WaitReason.TIMER)
                        .sample("7", 0, 100, "p.cpp(11): digest [p]")
                        .build());

        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("waiting for a lock", "p.cpp:13 record [p]", us(60), 1));
        assertThat(finding.evidence().toString())
                .contains("held by `thread 7`, at work meanwhile")
                .doesNotContain("held meanwhile");
    }

    /** Native stacks are taken on a CPU: the line that ran before the wait is no place of the wait. */
    @Test
    void aLineThatANativeProgramRanBeforeItsWaitIsNotWhereItWaits() {
        Finding finding = RuleVerdicts.found(
                new LockContentionRule(),
                TimelineFixture.blank()
                        .state("1", 0, 40, 40, 0, WaitReason.UNKNOWN)
                        .state("1", 40, 100, 0, 0, WaitReason.LOCK)
                        .heldBy(7)
                        .sample("1", 0, 100, "p.cpp(3): main [p]", "p.cpp(11): answer [p]")
                        .state("7", 0, 100, 30, 0, WaitReason.TIMER)
                        .sample("7", 0, 100, "p.cpp(20): rebuild [p]")
                        .build());

        assertThat(finding.evidence().toString())
                .contains("held by `thread 7`, at work meanwhile, where=p.cpp:20 rebuild [p]")
                .doesNotContain("answer");
    }
}
