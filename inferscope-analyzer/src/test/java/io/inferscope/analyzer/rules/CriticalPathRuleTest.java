package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class CriticalPathRuleTest {
    private final Rule rule = new CriticalPathRule();

    /** A thread that tokenizes for {@code tokenizeUs}, then packs for {@code packUs}. */
    private static TimelineFixture thread(double tokenizeUs, double packUs) {
        return TimelineFixture.blank()
                .scope("42", 0, tokenizeUs, "encode")
                .activity(RangeActivity.TOKENIZATION)
                .where("serve.py:12 encode")
                .scope("42", tokenizeUs, tokenizeUs + packUs, "pack")
                .activity(RangeActivity.SERIALIZATION);
    }

    @Test
    void aCauseThatHoldsMostOfThePathIsNamed() {
        Finding finding = found(rule, thread(7_000, 3_000));

        assertThat(finding.claim())
                .isEqualTo(
                        "7.00 ms of the critical path, 70.0% of the window, is tokenization; the next cause has 30.0%."
                                + " Without all of it, the window would be 7.00 ms shorter.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.costNs()).isEqualTo(us(7_000));
        assertThat(finding.evidence())
                .contains(new Evidence.Place("on the path", "serve.py:12 encode > encode", us(7_000), 1));
    }

    @Test
    void whatAnotherFindingSaysAsLoudlyIsNotSaidTwice() {
        assertThat(RuleVerdicts.of(rule, thread(9_000, 1_000)))
                .isEqualTo(new Verdict.ToldElsewhere("most of this time is what preprocessing-dominates reports"));
    }

    /** The path may lead through the pauses of a client. */
    @Test
    void aProgramThatMostlyHasNothingToDoHasNoPath() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("1", 0, 100_000, 0, 0, WaitReason.SOCKET)
                .waiting(WaitDetail.FOR_REQUEST)
                .state("client", 0, 100_000, 1, 0, WaitReason.TIMER)
                .state("worker", 0, 100_000, 0, 0, WaitReason.FUTEX)
                .state("worker", 100_000, 110_000, 10_000, 0, WaitReason.FUTEX)
                .sample("worker", 0, 110_000, "app.py(18): work")
                .scope("worker", 100_000, 110_000, "work")
                .handedOver("client", "worker", 0, 100_000);

        assertThat(notApplicable(rule, fixture)).startsWith("the program mostly has nothing to do");
    }

    @Test
    void workBesideABusyDeviceIsNotOnThePath() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 100, 9_000, "gemm")
                .launchedBy("42", 0, 50)
                .scope("42", 60, 6_000, "encode")
                .activity(RangeActivity.TOKENIZATION)
                .call("42", 6_000, 9_010, "cudaStreamSynchronize");

        assertThat(clean(rule, fixture)).startsWith("GPU compute takes ").endsWith(": the model itself");
    }

    @Test
    void aCauseBesideAChainThatIsNearlyAsLongIsNoFinding() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 100, 8_900, "gemm")
                .launchedBy("42", 0, 50)
                .scope("42", 60, 9_000, "encode")
                .activity(RangeActivity.TOKENIZATION)
                .kernel("8", 9_020, 9_060, "copy_results")
                .launchedBy("42", 9_000, 9_010);

        assertThat(clean(rule, fixture))
                .startsWith("tokenization takes 98.")
                .contains("of the critical path, but without it another chain would be nearly as long: ");
    }

    @Test
    void noCauseLeadsWhereTheNextIsClose() {
        assertThat(clean(rule, thread(5_400, 4_600)))
                .isEqualTo("no cause leads on the critical path: tokenization takes 54.0% of the critical path");
    }

    @Test
    void lessThanAMillisecondIsNotWorthAFinding() {
        assertThat(clean(rule, thread(900, 10))).startsWith("no cause leads on the critical path");
    }
}
