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

    /** Who holds it sleeps: no other thread is seen at work. */
    @ParameterizedTest
    @CsvSource({
        "called [numpy.so], serve.py(7): step, other, 0, true",
        "called [numpy.so], sgemm [libtorch_cpu.so], other, 0, true", // Seen while it ran.
        "serve.py(3): load, serve.py(7): step, other, 0, false", // Whether a library is called here is unknown.
        "called [numpy.so], called [queue.so], other, 0, false",
        "called [numpy.so], serve.py(7): step, main, 0, false", // No other thread could hold a lock.
        "called [numpy.so], serve.py(7): step, other, 30, false" // It may have waited in a library before.
    })
    void whereNoLibraryIsCalledAFutexIsALock(
            String elsewhere, String innermost, String other, double runsUs, boolean isLock) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "serve.py")
                .activity(Activity.INTERPRETER)
                .sample("main", 0, 50, "serve.py(3): load", elsewhere)
                .sample("main", 50, 100, "serve.py(7): step", innermost)
                .state("main", 0, 50, 50, 0, WaitReason.UNKNOWN)
                .state("main", 50, 100, runsUs, 0, WaitReason.FUTEX)
                .sample(other, 100, 101, "threading.py(982): run", "serve.py(20): hold");

        Verdict verdict = RuleVerdicts.of(new LockContentionRule(), fixture.build());

        assertThat(verdict instanceof Verdict.Found).isEqualTo(isLock);
    }
}
