package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class BusyEventLoopRuleTest {
    private static final String MAIN = "app.py(30): <module>";
    private static final String RUN = "/usr/lib/python3.11/asyncio/events.py(84): Handle._run";
    private static final String SELECT = "/usr/lib/python3.11/selectors.py(468): EpollSelector.select";

    private final Rule rule = new BusyEventLoopRule();

    /** 100 us of a loop: 60 in which a task computes, then it waits for work. */
    private static TimelineFixture loop() {
        return TimelineFixture.blank()
                .state("main", 0, 60, 60, 0, WaitReason.UNKNOWN)
                .sample("main", 0, 60, MAIN, RUN, "app.py(9): rank", "app.py(3): score")
                .state("main", 60, 100, 0, 0, WaitReason.SOCKET)
                .sample("main", 60, 100, MAIN, SELECT);
    }

    /** A turn of the loop that lasted until then. */
    private static TimelineFixture turn(TimelineFixture fixture, int endUs, int lengthUs) {
        return fixture.host(RowKind.INSTANT, "main", endUs, endUs, BusyEventLoopRule.TURN)
                .text(Attribute.DETAIL, "{\"ns\":" + us(lengthUs) + "}");
    }

    @Test
    void namesTheTasksCallAndTheLineThatComputes() {
        Finding finding = found(rule, turn(loop(), 60, 50));

        assertThat(finding.costNs()).isEqualTo(us(50));
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("the task's call", "app.py:9 rank", us(50), 1),
                        new Evidence.Place("computes", "app.py:3 score", us(50), 1));
    }

    @Test
    void aShortTurnIsClean() {
        assertThat(clean(rule, turn(loop(), 60, 5))).contains("no task");
    }

    /** Waiting for work, and what a second loop's start finds, are no work of a task. */
    @Test
    void whatIsOutsideOfTasksDoesNotCount() {
        assertThat(clean(rule, turn(loop(), 100, 40))).contains("no task");
    }

    @Test
    void aLoopThatKeepsNobodyWaitingIsNotJudged() {
        assertThat(notApplicable(rule, loop())).contains("kept tasks waiting");
    }

    /** What a hook records inside a task has no sample of its own. */
    @Test
    void recordedCallsInsideASampledTaskCount() {
        TimelineFixture fixture = loop().scope("main", 20, 40, "forward").activity(RangeActivity.MODEL);

        assertThat(found(rule, turn(fixture, 60, 50)).costNs()).isEqualTo(us(50));
    }

    /** The thread computes before the loop, between two runs of it, and after it. */
    @Test
    void recordedCallsOutsideOfSampledTasksDoNotCount() {
        TimelineFixture fixture = TimelineFixture.blank()
                .sample("main", 0, 10, MAIN, RUN, "app.py(9): rank")
                .sample("main", 10, 20, MAIN)
                .scope("main", 20, 80, "forward")
                .activity(RangeActivity.MODEL)
                .sample("main", 80, 90, MAIN)
                .sample("main", 90, 100, MAIN, RUN, "app.py(9): rank");

        assertThat(clean(rule, turn(fixture, 80, 60))).contains("no task");
    }

    @Test
    void withoutASampledTaskNothingIsClaimed() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 100, "forward").activity(RangeActivity.MODEL);

        assertThat(notApplicable(rule, turn(fixture, 100, 90))).contains("no stack sample");
    }
}
