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
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class SlowOutliersRuleTest {
    private final Rule rule = new SlowOutliersRule();

    /** Requests of 10 us in one function; some take 40 us longer, in another one. */
    private static Timeline requests(int count, IntPredicate isSlow, String function) {
        TimelineFixture fixture = TimelineFixture.blank().process("main");
        int at = 0;
        String[] frames = ("app.py:3 <module> > " + function).split(" > ");
        for (int i = 0; i < count; i++) {
            int end = at + 10;
            fixture.sample("main", at, end, "app.py:3 <module>", "app.py:9 answer");
            if (isSlow.test(i)) {
                fixture.sample("main", end, end + 40, frames);
                end += 40;
            }
            fixture.host(RowKind.REQUEST, "main", at, end, "GET /");
            at = end;
        }
        return fixture.build();
    }

    @Test
    void namesWhatTheSlowOnesDoAndTheOthersDoNot() {
        Finding finding = found(rule, requests(100, i -> i % 20 == 19, "app.py:20 compact"));

        assertThat(finding.claim())
                .isEqualTo("5 of 100 requests `GET /` take 50.0 us to 50.0 us, where half of them take at most 10.0 us:"
                        + " 16.7% of the time of all. 100.0% of what they take longer is in `app.py:20 compact`,"
                        + " above all the program's own code.");
        assertThat(finding.costNs()).isEqualTo(us(200));
        assertThat(finding.evidence())
                .contains(
                        new Evidence.Quantity("99th percentile", us(50), "ns"),
                        new Evidence.Place(
                                "the program's own code, more in the slow ones", "app.py:20 compact", us(200), 5),
                        new Evidence.Range("the longest", us(190), us(240), "thread main", ""));
        assertThat(finding.advice()).startsWith("The slow ones do what the others need not");
        assertThat(finding.gain()).isNull();
    }

    /** The line that started the server is not where its requests wait. */
    @Test
    void theLineThatStartedTheServerIsNotNamed() {
        Timeline timeline = requests(
                100, i -> i % 20 == 19, "/app/app.py(4): main > /x/site-packages/uvicorn/server.py(67): Server.run");

        assertThat(found(rule, timeline).claim())
                .endsWith("100.0% of what they take longer is Python code of libraries.");
    }

    /**
     * Requests of 10 us; of every tenth, which takes 50 us, each {@code oneIn}-th has a sample of its own. The sample of the
     * request before reaches over the others.
     */
    private static Timeline sampled(int oneIn) {
        TimelineFixture fixture = TimelineFixture.blank().process("main");
        int at = 0;
        for (int i = 0; i < 200; i++) {
            boolean slow = i % 10 == 9;
            int end = at + (slow ? 50 : 10);
            if (!slow) {
                int until = i % 10 == 8 && i / 10 % oneIn > 0 ? end + 50 : end;
                fixture.sample("main", at, until, "app.py:3 <module>", "app.py:9 answer")
                        .attribute(Attribute.LOOKED_NS, us(5));
            } else if (i / 10 % oneIn == 0) {
                fixture.sample("main", at, end, "app.py:3 <module>", "app.py:20 compact")
                        .attribute(Attribute.LOOKED_NS, us(5));
            }
            fixture.host(RowKind.REQUEST, "main", at, end, "GET /");
            at = end;
        }
        return fixture.build();
    }

    @Test
    void onlySlowOnesWithASampleOfTheirOwnShowWhatTheyDo() {
        assertThat(found(rule, sampled(2)).claim())
                .contains("20 of 200 requests", "100.0% of what they take longer is in `app.py:20 compact`");
    }

    @Test
    void fewSamplesShowNothing() {
        Finding finding = found(rule, sampled(4));

        assertThat(finding.claim()).endsWith(" of the time of all.");
        assertThat(finding.advice())
                .isEqualTo("A longer recording shows what the slow ones do: samples saw 5 of them.");
    }

    @Test
    void moreOfTheSameIsALargerInput() {
        Finding finding = found(rule, requests(100, i -> i % 20 == 19, "app.py:9 answer"));

        assertThat(finding.claim()).contains("is in `app.py:9 answer`");
        assertThat(finding.advice()).startsWith("The slow ones do more of what the others do");
        assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO);
    }

    @Test
    void passesThatReadMoreTokensTakeLonger() {
        TimelineFixture fixture = TimelineFixture.blank();
        int at = 0;
        for (int i = 0; i < 100; i++) {
            boolean first = i % 10 == 9;
            int end = at + (first ? 50 : 10);
            fixture.scope("main", at, end, "forward Model").attribute(Attribute.COUNTED, (first ? 128 : 8));
            at = end;
        }

        assertThat(clean(rule, fixture)).endsWith("and they read more tokens");
    }

    @Test
    void slowOnesAtTheBeginningAreWarmUp() {
        assertThat(clean(rule, requests(100, i -> i < 6, "app.py:20 load"))).endsWith("most of them at the beginning");
    }

    @Test
    void manyAreAnotherKindAndFewAreChance() {
        assertThat(clean(rule, requests(100, i -> i % 4 == 0, "app.py:20 other")))
                .endsWith("too many for outliers");
        assertThat(clean(rule, requests(100, i -> i % 40 == 39, "app.py:20 other")))
                .isEqualTo("of 100 requests `GET /`, 2 take more than 3 times the median: 7.4% of the time of all");
    }

    @Test
    void fewRequestsHaveNoTypicalLength() {
        notApplicable(rule, requests(39, i -> i % 5 == 0, "app.py:20 other"));
    }

    @Test
    void stepsCountWhereThereAreNoRequests() {
        TimelineFixture fixture = TimelineFixture.blank();
        int at = 0;
        for (int i = 0; i < 100; i++) {
            int end = at + (i % 20 == 19 ? 50 : 10);
            fixture.scope("main", at, end, "ProfilerStep#" + i).operator("main", at, end, "aten::mm");
            at = end;
        }

        assertThat(found(rule, fixture).claim()).startsWith("5 of 100 steps `ProfilerStep` take 50.0 us");
    }

    /** Eight calls of a model make a round, after which the program does something else: told as that, not as slow calls. */
    @Test
    void whatFollowsARoundOfCallsIsNoException() {
        assertThat(clean(rule, calls(i -> i % 8 == 7))).endsWith("evenly: what follows a round of the model's calls");
        assertThat(found(rule, calls(i -> i % 37 % 16 == 15)).claim()).startsWith("10 of 200 steps `forward Model`");
        assertThat(found(rule, calls(i -> i % 25 == 24)).claim()).startsWith("8 of 200 steps `forward Model`");
    }

    private static Timeline calls(IntPredicate isSlow) {
        TimelineFixture fixture = TimelineFixture.blank();
        int at = 0;
        for (int i = 0; i < 200; i++) {
            int end = at + (isSlow.test(i) ? 60 : 10);
            fixture.scope("main", at, end, "forward Model");
            at = end;
        }
        return fixture.build();
    }

    @Test
    void answersOfSeveralTokensDifferByTheirNumber() {
        TimelineFixture fixture = TimelineFixture.blank().process("main");
        for (int i = 0; i < 100; i++) {
            int end = 100 * i + (i % 20 == 19 ? 90 : 10);
            fixture.sample("main", 100 * i, end, "app.py:3 <module>")
                    .host(RowKind.REQUEST, "main", 100 * i, end, "POST /v1/completions")
                    .attribute(Attribute.ITEMS, i % 20 == 19 ? 9 : 2);
        }

        notApplicable(rule, fixture);
    }

    /** 60 steps, of which 6 try twelve algorithms for their convolution, or have one longer kernel. */
    @Test
    void aSearchForTheFastestAlgorithmIsNamed() {
        assertThat(found(rule, convolving(12, "aten::cudnn_convolution")).claim())
                .contains("convolutions launch 12 kernels, in the others 1, as in a search for the fastest algorithm");
        assertThat(found(rule, convolving(12, "aten::_convert_weight_to_int4pack"))
                        .claim())
                .as("no convolution")
                .doesNotContain("search");
        assertThat(found(rule, convolving(1, "aten::cudnn_convolution")).claim())
                .doesNotContain("search")
                .contains("In these the GPU works ");
    }

    private static Timeline convolving(int tried, String operator) {
        TimelineFixture fixture = TimelineFixture.blank();
        double us = 0;
        for (int step = 0; step < 60; step++) {
            boolean slow = step % 10 == 5;
            double fromUs = us;
            int kernels = slow ? tried : 1;
            double lengthUs = slow ? 2_400.0 / tried : 60;
            for (int i = 0; i < kernels; i++) {
                fixture.operator("main", us, us + 8, operator);
                fixture.kernel("7", us + 8, us + 8 + lengthUs, "conv").launchedBy("main", us + 2, us + 6);
                fixture.call("main", us + 9, us + 10 + lengthUs, "cudaEventSynchronize");
                us += lengthUs + 12;
            }
            fixture.scope("main", fromUs, us, "ProfilerStep#" + step);
        }
        return fixture.build();
    }
}
