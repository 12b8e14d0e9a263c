package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class LimitedTasksRuleTest {
    private static final String MAIN = "app.py(30): <module>";
    private static final String SELECT = "/usr/lib/python3.11/selectors.py(468): EpollSelector.select";

    private final Rule rule = new LimitedTasksRule();

    /** A loop that works for 20 of 100 us and waits for a socket in between. */
    private static TimelineFixture loop() {
        return TimelineFixture.blank()
                .state("main", 0, 10, 10, 0, WaitReason.UNKNOWN)
                .sample("main", 0, 10, MAIN)
                .state("main", 10, 50, 0, 0, WaitReason.SOCKET)
                .sample("main", 10, 50, MAIN, SELECT)
                .state("main", 50, 60, 10, 0, WaitReason.UNKNOWN)
                .sample("main", 50, 60, MAIN)
                .state("main", 60, 100, 0, 0, WaitReason.SOCKET)
                .sample("main", 60, 100, MAIN, SELECT);
    }

    private static TimelineFixture limit(
            TimelineFixture fixture, int endUs, int lengthUs, int tasks, String kind, String at) {
        return fixture.host(RowKind.INSTANT, "main", endUs, endUs, LimitedTasksRule.LIMIT)
                .text(
                        Attribute.DETAIL,
                        "{\"ns\":" + us(lengthUs) + ",\"tasks\":" + tasks + ",\"kind\":\"" + kind + "\",\"at\":\"" + at
                                + "\"}");
    }

    @Test
    void namesTheLimitWithMostTimeAndHowManyTasksWait() {
        TimelineFixture fixture = loop();
        limit(fixture, 50, 30, 5, "Semaphore", "app.py:7 ask");
        limit(fixture, 50, 10, 90, "Lock", "app.py:9 note");
        limit(fixture, 100, 40, 12, "Semaphore", "app.py:7 ask");
        Finding finding = found(rule, fixture);

        assertThat(finding.claim())
                .isEqualTo("The event loop waits 70.0 us, 70.0% of the window, while 9.0 tasks on average wait for a "
                        + "turn at a `Semaphore` of the program.");
        assertThat(finding.evidence().get(0)).isEqualTo(new Evidence.Place("tasks wait", "app.py:7 ask", us(70), 1));
        assertThat(finding.advice()).startsWith("Raise this limit");
        assertThat(finding.gain()).isNull();
    }

    @Test
    void aFullQueueNeedsMoreTasksThatTake() {
        Finding finding = found(rule, limit(loop(), 100, 75, 1, "Queue", "app.py:3 feed"));

        assertThat(finding.claim()).contains("while a task waits for room in a `Queue`");
        assertThat(finding.advice()).contains("more tasks take");
    }

    /** What the searches stand for may be more than the thread's own waits. */
    @Test
    void theCostIsAtMostTheThreadsWait() {
        Finding finding = found(rule, limit(loop(), 100, 95, 1, "Lock", "app.py:3 feed"));

        assertThat(finding.costNs()).isEqualTo(us(80));
    }

    @Test
    void aShortWaitIsClean() {
        assertThat(clean(rule, limit(loop(), 100, 10, 9, "Lock", "app.py:3 feed")))
                .contains("tasks wait for a limit during 10.0%");
    }

    @Test
    void withoutTasksThatWaitNothingIsJudged() {
        assertThat(notApplicable(rule, loop())).contains("no task");
    }

    @Test
    void theWaitItselfIsNotReportedAgain() {
        TimelineFixture fixture = limit(loop(), 100, 79, 9, "Lock", "app.py:3 feed");

        assertThat(RuleVerdicts.of(new WaitingForRequestsRule(), fixture))
                .isEqualTo(new Verdict.ToldElsewhere("most of this time is what limited-tasks reports"));
    }
}
