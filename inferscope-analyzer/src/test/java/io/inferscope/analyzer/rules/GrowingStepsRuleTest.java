package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

class GrowingStepsRuleTest {
    private final Rule rule = new GrowingStepsRule();

    /** Requests that take 20 us in one function, and some more in another one. */
    private static TimelineFixture requests(int count, IntUnaryOperator moreUs) {
        TimelineFixture fixture = TimelineFixture.blank().process("main");
        int at = 0;
        for (int i = 0; i < count; i++) {
            int end = at + 20;
            fixture.sample("main", at, end, "app.py:3 <module>", "app.py:9 answer");
            if (moreUs.applyAsInt(i) > 0) {
                fixture.sample("main", end, end + moreUs.applyAsInt(i), "app.py:3 <module>", "app.py:20 remember");
                end += moreUs.applyAsInt(i);
            }
            fixture.host(RowKind.REQUEST, "main", at, end, "GET /");
            at = end;
        }
        return fixture;
    }

    private String clean(IntUnaryOperator moreUs) {
        return RuleVerdicts.clean(rule, requests(100, moreUs));
    }

    @Test
    void namesWhatGrows() {
        Finding finding = found(rule, requests(100, i -> i));

        assertThat(finding.claim())
                .isEqualTo(
                        "Requests `GET /` grow from 38.0 us to 110 us over the recording: 3.29 ms more than if all were"
                                + " as short as the first, 47.3% of the time of all. 100.0% of the additional time is in"
                                + " `app.py:20 remember`, above all the program's own code.");
        assertThat(finding.causes()).containsExactly(LedgerClass.CPU_CODE);
        assertThat(finding.costNs()).isEqualTo(us(3285));
        assertThat(finding.evidence())
                .contains(
                        new Evidence.Quantity("median of part 1 of 5", us(38), "ns"),
                        new Evidence.Quantity("median of part 5 of 5", us(110), "ns"));
        assertThat(finding.advice()).startsWith("Find what grows there");
        assertThat(finding.gain()).isNull();
    }

    /** A machine that gets ever more crowded: nothing of the program grows. */
    @Test
    void whatGrowsMayBeTheWaitForACpu() {
        TimelineFixture fixture = TimelineFixture.blank().process("main");
        for (int i = 0, at = 0; i < 100; i++) {
            int end = at + 60_000 + 1000 * i;
            fixture.sample("main", at, end, "app.py:3 <module>", "app.py:9 answer")
                    .state("main", at, end, 60_000, 1000 * i, WaitReason.UNKNOWN)
                    .host(RowKind.REQUEST, "main", at, end, "GET /");
            at = end;
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.claim()).contains("above all waiting for a CPU");
        assertThat(finding.advice()).startsWith("The late ones do what the first did");
        assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO);
    }

    @Test
    void noiseDoesNotHideGrowth() {
        Random random = new Random(1);
        int[] noise = random.ints(100, 0, 30).toArray();

        assertThat(found(rule, requests(100, i -> i + noise[i])).claim()).contains("is in `app.py:20 remember`");
    }

    @Test
    void equalOnesDoNotGrow() {
        assertThat(clean(i -> 5))
                .isEqualTo("requests `GET /` take 25.0 us at first and 25.0 us at last, and do not grow all the time");
    }

    @Test
    void aJumpIsAnotherPhase() {
        assertThat(clean(i -> i < 55 ? 0 : 60)).endsWith("and do not grow all the time");
        assertThat(clean(i -> i < 40 ? 0 : i < 70 ? 30 : 60)).endsWith("and do not grow all the time");
        assertThat(clean(i -> i / 10 + (i < 50 ? 0 : 60))).endsWith("and do not grow all the time");
    }

    @Test
    void sawTeethBeginAnew() {
        assertThat(clean(i -> i % 30)).endsWith("and do not grow all the time");
        assertThat(clean(i -> i % 8)).endsWith("and do not grow all the time");
        assertThat(clean(i -> i % 48)).endsWith("and do not grow all the time");
    }

    @Test
    void whatSettlesDoesNotGrow() {
        assertThat(clean(i -> Math.min(60, 2 * i))).endsWith("and do not grow all the time");
    }

    @Test
    void whatVariesDoesNotGrow() {
        Random random = new Random(2);
        for (int run = 0; run < 200; run++) {
            int[] more = random.ints(100, 0, 40).toArray();
            assertThat(clean(i -> more[i])).endsWith("and do not grow all the time");
        }
    }

    @Test
    void whatGetsFasterDoesNotGrow() {
        assertThat(clean(i -> 100 - i)).endsWith("and do not grow all the time");
    }

    @Test
    void fewShowNoGrowth() {
        notApplicable(rule, requests(59, i -> i));
    }

    @Test
    void littleGrowthInALongProgramCostsLittle() {
        TimelineFixture fixture = requests(100, i -> i / 3);
        fixture.sample("main", 10_000, 40_000, "app.py:3 <module>", "app.py:5 report");

        assertThat(RuleVerdicts.clean(rule, fixture)).contains(": this costs ");
    }

    @Test
    void moreRequestsAtOnceAreANote() {
        TimelineFixture fixture = TimelineFixture.blank().process("main");
        for (int i = 0; i < 100; i++) {
            String thread = String.valueOf(i % 10);
            int end = 100 * i + 20 + 8 * i;
            fixture.sample(thread, 100 * i, end, "app.py:3 <module>", "app.py:9 answer")
                    .host(RowKind.REQUEST, thread, 100 * i, end, "GET /")
                    .attribute(Attribute.OTHER_THREAD, i % 10);
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO);
        assertThat(finding.advice()).startsWith("More of them come at once");
    }

    /** Passes of 20 us and more, each of which reads some tokens. */
    private static Timeline passes(IntUnaryOperator moreUs, IntUnaryOperator tokens) {
        TimelineFixture fixture = TimelineFixture.blank();
        int at = 0;
        for (int i = 0; i < 100; i++) {
            int end = at + 20 + moreUs.applyAsInt(i);
            fixture.scope("main", at, end, "forward Model")
                    .attribute(Attribute.COUNTED, tokens.applyAsInt(i))
                    .operator("main", at, end, "aten::mm");
            at = end;
        }
        return fixture.build();
    }

    @Test
    void passesThatReadMoreTokensTakeLonger() {
        assertThat(RuleVerdicts.clean(rule, passes(i -> i, i -> 10 + i))).endsWith("models read more tokens");
    }

    @Test
    void passesThatReadEqualTokensHaveAGrowingContext() {
        Finding finding = found(rule, passes(i -> i, i -> 10));

        assertThat(finding.claim()).startsWith("Steps `forward Model` grow from 38.0 us");
        assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO);
        assertThat(finding.advice()).startsWith("The model reads as many tokens as before");
    }

    /** Requests that grow, of which only some have a stack sample of their own. */
    @Test
    void fewSamplesShowNothing() {
        TimelineFixture fixture = TimelineFixture.blank().process("main");
        int at = 0;
        for (int i = 0; i < 100; i++) {
            int end = at + 20 + i;
            if (i % 20 == 0) {
                fixture.sample("main", at, end, "app.py:3 <module>", "app.py:9 answer")
                        .attribute(Attribute.LOOKED_NS, us(5));
            }
            fixture.host(RowKind.REQUEST, "main", at, end, "GET /");
            at = end;
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.claim()).endsWith(" of the time of all.");
        assertThat(finding.advice())
                .isEqualTo("What grows shows in a longer recording: of the late ones, stack samples saw 1.");
    }

    @Test
    void stepsOfADeviceAreNotJudged() {
        TimelineFixture fixture = TimelineFixture.blank();
        int at = 0;
        for (int i = 0; i < 100; i++) {
            fixture.scope("main", at, at + 20 + i, "ProfilerStep#" + i)
                    .kernel("7", at + 5, at + 10 + i, "gemm")
                    .launchedBy("main", at + 1, at + 3);
            at += 20 + i;
        }

        notApplicable(rule, fixture);
    }
}
