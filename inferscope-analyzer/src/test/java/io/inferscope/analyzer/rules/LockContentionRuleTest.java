package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Activity;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
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
}
