package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HangRuleTest {
    private static final double S = 1e6;

    private final Rule rule = new HangRule();

    /** Two threads work for 4 s, then wait for locks for 16 s. */
    private static TimelineFixture deadlock() {
        return TimelineFixture.blank()
                .state("main", 0, 4 * S, 4 * S, 0, WaitReason.UNKNOWN)
                .sample("main", 0, 4 * S, "app.py(3): step")
                .state("main", 4 * S, 20 * S, 0, 0, WaitReason.LOCK)
                .sample("main", 4 * S, 20 * S, "app.py(21): refresh")
                .state("worker", 0, 4 * S, 1 * S, 0, WaitReason.UNKNOWN)
                .state("worker", 4 * S, 20 * S, 0, 0, WaitReason.LOCK)
                .sample("worker", 4 * S, 20 * S, "app.py(12): reload");
    }

    @Test
    void aDeadlockTellsWhoWaitsWhere() {
        Finding finding = found(rule, deadlock());

        assertThat(finding.claim())
                .isEqualTo(
                        "From 4.00 s on, the program stands still until the end of the recording, 16.0 s (80.0% of the window): the critical thread is waiting for a lock at app.py:21 refresh, and no thread uses a CPU.");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.evidence()).anySatisfy(evidence -> {
            assertThat(evidence).isInstanceOf(Evidence.Place.class);
            assertThat(evidence.label()).isEqualTo("thread worker is waiting for a lock");
            assertThat(((Evidence.Place) evidence).where()).isEqualTo("app.py:12 reload");
        });
    }

    @Test
    void aShortRecordingInTheMiddleOfADeadlockShowsIt() {
        assertThat(found(rule, waiting(WaitReason.LOCK)).claim())
                .startsWith("From 0 ns on, the program stands still until the end of the recording, 3.00 s (100.0%");
        assertThat(clean(rule, waiting(WaitReason.CHILD_PROCESS))).startsWith("the longest wait");
    }

    private static TimelineFixture waiting(WaitReason reason) {
        return TimelineFixture.blank()
                .state("main", 0, 3 * S, 0, 0, reason)
                .sample("main", 0, 3 * S, "app.py(21): refresh");
    }

    /** A lock is work that is held up; other waits may be those for work. */
    @ParameterizedTest
    @CsvSource({"FUTEX, No thread of the program works for 20.0 s, INFO", "LOCK, From 0 ns on, CRITICAL"})
    void aProgramThatWasNeverSeenToWorkHangsOrHasNoWork(WaitReason reason, String claim, Severity severity) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("1")
                .state("1", 0, 20 * S, 0, 0, WaitReason.FUTEX)
                .state("1", 20 * S, 20.1 * S, 10, 0, WaitReason.FUTEX)
                .state("2", 0, 20 * S, 0, 0, reason)
                .sample("1", 0, 20 * S, "app.py(21): refresh");
        fixture.builder().coverage(new Coverage("probe", 0, 1, "attached"));
        Finding finding = found(rule, fixture);

        assertThat(finding.claim()).startsWith(claim);
        assertThat(finding.severity()).isEqualTo(severity);
    }

    @Test
    void aWaitInTheMiddleOfWorkMayBeOfAnyKind() {
        TimelineFixture loader = TimelineFixture.blank()
                .scope("main", 4 * S, 20 * S, "DataLoader next")
                .activity(RangeActivity.DATA_LOADING)
                .state("main", 0, 4 * S, 4 * S, 0, WaitReason.UNKNOWN)
                .state("main", 4 * S, 20 * S, 0, 0, WaitReason.SOCKET)
                .sample("main", 0, 4 * S, "app.py(3): step")
                .sample("main", 4 * S, 20 * S, "app.py(30): main");

        assertThat(found(rule, loader).claim())
                .contains("the critical thread is waiting for a socket in `DataLoader next` at app.py:30 main");
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .state("main", 0, 4 * S, 4 * S, 0, WaitReason.UNKNOWN)
                                .state("main", 4 * S, 20 * S, 0, 0, WaitReason.SOCKET)))
                .startsWith("the longest wait for the program itself");
    }

    @Test
    void whatAProgramDoesWhenItIsStoppedMayFollow() {
        TimelineFixture stopped = deadlock()
                .property("inferscope.exit_code", "-2")
                .state("main", 20 * S, 22 * S, 2 * S, 0, WaitReason.UNKNOWN);

        assertThat(found(rule, stopped).claim()).contains("stands still until the end of the recording, 16.0 s");
    }

    @Test
    void aProgramThatGoesOnDoesNotHang() {
        TimelineFixture on = deadlock().state("main", 20 * S, 30 * S, 10 * S, 0, WaitReason.UNKNOWN);

        assertThat(clean(rule, on)).startsWith("the longest wait for the program itself");
    }

    @Test
    void aProgramThatEndsByItselfDoesNotHang() {
        assertThat(clean(rule, deadlock().property("inferscope.exit_code", "0")))
                .isEqualTo("the program came to its end by itself");
    }

    @Test
    void aThreadThatWorksMeanwhileIsWaitedFor() {
        TimelineFixture works = deadlock().state("busy", 4 * S, 20 * S, 8 * S, 0, WaitReason.UNKNOWN);

        assertThat(clean(rule, works))
                .isEqualTo("while the critical thread waits until the end, other threads or a device work");
    }

    @Test
    void aServerWithoutAnOpenRequestIsIdle() {
        TimelineFixture idle = deadlock().host(RowKind.REQUEST, "requests", 1 * S, 2 * S, "GET /");

        assertThat(clean(rule, idle)).isEqualTo("no request is open while the program stands still until the end");
    }

    @Test
    void aServerWithoutRecordedRequestsMayBeIdle() {
        TimelineFixture listens = deadlock()
                .state("listener", 0, 20 * S, 1000, 0, WaitReason.SOCKET)
                .sample("listener", 0, 20 * S, "server.py(4): accept");

        assertThat(found(rule, listens).severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void withoutStatesOfThreadsItDoesNotApply() {
        assertThat(notApplicable(rule, TimelineFixture.blank().scope("main", 0, 20 * S, "work")))
                .isEqualTo("what threads wait for is not recorded");
    }
}
