package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InputBoundRuleTest {
    private final Rule rule = new InputBoundRule();

    @Test
    void waitingForABatchUnderAnIdleGpuCosts() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [enumerate(DataLoader)#_Next.__next__]LL
                stream 7     KKKKKKKK..............................KK
                links 0-1
                """);

        assertThat(finding.costNs()).isEqualTo(us(30));
        assertThat(finding.claim()).contains("for its next batch (1 of them), and the GPU has nothing to do meanwhile");
        assertThat(finding.advice()).contains("num_workers");
    }

    @Test
    void withoutADeviceTheWaitItselfCounts() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [DataLoader next   ][forward            ]
                """);

        assertThat(finding.costNs()).isEqualTo(us(20));
        assertThat(finding.claim()).endsWith("for its next batch (1 of them).");
    }

    /** The line in the worker is what to change, not the one that asks. */
    @Test
    void namesTheLineAtWhichAWorkerMakesTheBatch() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 60, "DataLoader next")
                .scope("main", 60, 100, "forward")
                .state("main", 0, 60, 0, 0, WaitReason.FUTEX)
                .state("worker", 0, 60, 60, 0, WaitReason.UNKNOWN)
                .handedOver("worker", "main", 0, 60);
        for (int us = 0; us < 60; us++) {
            fixture.sample("worker", us, us + 1, "/app/rows.py(5): pad");
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.claim()).contains("made mostly at rows.py:5 pad");
        assertThat(finding.places()).startsWith("/app/rows.py:5 pad");
        assertThat(finding.causes()).containsExactly(LedgerClass.CPU_PYTHON);
    }

    /** The claim names the line although hand-overs are recorded of little of the wait: the evidence does, too. */
    @Test
    void theLineThatTheClaimNamesIsInTheEvidence() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 600, "DataLoader next")
                .scope("main", 600, 1000, "forward")
                .state("main", 0, 594, 0, 0, WaitReason.FUTEX)
                .state("main", 594, 600, 0, 0, WaitReason.FUTEX)
                .handedOver("worker", "main", 594, 600);
        for (int us = 594; us < 600; us++) {
            fixture.sample("worker", us, us + 1, "/app/rows.py(5): pad")
                    .state("worker", us, us + 1, 1, 0, WaitReason.UNKNOWN);
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.claim()).contains("made mostly at rows.py:5 pad");
        assertThat(finding.places()).startsWith("/app/rows.py:5 pad");
    }

    /** Less than a thousandth of the wait was seen at the line: that it makes the batches is no more than a guess. */
    @Test
    void aLineThatIsHardlySeenIsNotNamed() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 60_000, "DataLoader next")
                .scope("main", 60_000, 100_000, "forward")
                .state("main", 0, 59_970, 0, 0, WaitReason.FUTEX)
                .state("main", 59_970, 60_000, 0, 0, WaitReason.FUTEX)
                .handedOver("worker", "main", 59_970, 60_000);
        for (int us = 59_970; us < 60_000; us++) {
            fixture.sample("worker", us, us + 1, "/app/rows.py(5): pad")
                    .state("worker", us, us + 1, 1, 0, WaitReason.UNKNOWN);
        }

        assertThat(found(rule, fixture).claim()).doesNotContain("made mostly");
    }

    /** A forked worker begins at the line that asks. No line makes the batches then, and the wait itself is the cause. */
    @Test
    void theLineThatAsksDoesNotMakeItsBatch() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 60, "DataLoader next")
                .text(Attribute.WHERE, "/app/rows.py:22 batches")
                .scope("main", 60, 100, "forward")
                .state("main", 0, 60, 0, 0, WaitReason.FUTEX)
                .state("worker", 0, 10, 10, 0, WaitReason.UNKNOWN)
                .handedOver("worker", "main", 0, 10);
        for (int us = 0; us < 10; us++) {
            fixture.sample("worker", us, us + 1, "/app/rows.py(22): batches");
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.claim()).doesNotContain("made mostly");
        assertThat(finding.causes()).startsWith(LedgerClass.WAIT_UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({"50, make one DataLoader for all", "100, worker processes do not keep up"})
    void workersThatAreStartedForEachPassAreToBeKept(long endUs, String advice) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("1", 0, 60, "DataLoader next")
                .scope("1", 60, 100, "_MultiProcessingDataLoaderIter");
        TimelineBuilder builder = fixture.builder();
        builder.row(RowKind.PROCESS, builder.track(TrackKind.PROCESS, -1, "1"), 0, us(100), builder.name("main"));
        int child = builder.track(TrackKind.PROCESS, -1, "2");
        builder.row(RowKind.PROCESS, child, us(10), us(endUs), builder.name("worker"));
        builder.property("process.2.parent", "1");

        assertThat(found(rule, fixture).advice()).contains(advice);
    }

    @Test
    void aRecorderMayKnowTheScope() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .scope("main", 0, 30, "feed")
                        .activity(RangeActivity.DATA_LOADING)
                        .scope("main", 30, 100, "forward"));

        assertThat(finding.costNs()).isEqualTo(us(30));
    }

    @Test
    void aBatchThatIsThereCostsNothing() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  [DataLoader next   ]LL
                        stream 7     KKKKKKKKKKKKKKKKKKKKKKKK
                        links 0-0
                        """)).isEqualTo("waiting for the next batch takes 0.0% of the window");
    }

    @Test
    void programsWithoutADataLoaderAreNotMeant() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  [generate          ]
                """)).isEqualTo("no scope says when a data loader hands out a batch");
    }
}
