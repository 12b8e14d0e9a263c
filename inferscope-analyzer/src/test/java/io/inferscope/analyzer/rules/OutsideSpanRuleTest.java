package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class OutsideSpanRuleTest {
    private final Rule rule = new OutsideSpanRule();

    @Test
    void reportsTheTimeBeforeTheFirstOperation() {
        Finding finding = found(rule, """
                us           0         10        20        30        40        50
                thread main  [load_model                    ]LL
                stream 7     ..................................KKKKKKKKKKKKKKKK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("34.0 us, 68.0% of the window, passes before the first operation of GPU 0;"
                        + " 94.1% of that is compile and load.");
        assertThat(finding.costNs()).isEqualTo(us(34));
        assertThat(finding.share()).isEqualTo(0.68, within(1e-9));
        assertThat(finding.of()).isEqualTo("window of device 0");
        assertThat(finding.advice()).contains("CUDA_MODULE_LOADING=EAGER");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("compile and load", "load_model", us(32), 1),
                        new Evidence.Place("kernel launch", "cudaLaunchKernel", us(2), 1),
                        new Evidence.Range("idle gap, mostly compile and load", 0, us(34), "device 0", ""));
    }

    /** ONNX Runtime records no calls: operators stand for them. */
    @Test
    void whatPrecedesAnOperatorThatLaunchesHasAGain() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 1_000, "load_model").activity(RangeActivity.LOAD);
        for (int i = 0; i < 4; i++) {
            fixture.operator("main", 1_000 + 100 * i, 1_090 + 100 * i, "Conv");
            int operator = fixture.lastRow();
            fixture.kernel("7", 1_010 + 100 * i, 1_070 + 100 * i, "gemm").linked(operator, fixture.lastRow());
        }
        Finding.Gain gain = found(rule, fixture).gain();

        assertThat(gain).isNotNull();
        assertThat(gain.lowNs()).isGreaterThan(us(900));
    }

    @Test
    void placesOfTheNamedCauseComeFirst() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .scope("main", 0, 120, "load_model")
                        .scope("main", 120, 230, "load_weights")
                        .activity(RangeActivity.LOAD)
                        .scope("main", 230, 390, "tokenize")
                        .kernel("7", 400, 500, "gemm")
                        .launchedBy("main", 390, 392));

        assertThat(finding.claim()).endsWith("is compile and load.");
        assertThat(finding.places()).startsWith("load_model", "load_weights", "tokenize");
    }

    @Test
    void reportsTheTimeAfterTheLastOperation() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LL..................[write_json        ]
                stream 7     ..KKKKKKKKKKKKKKKKKK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("20.0 us, 50.0% of the window, passes after the last operation of GPU 0;"
                        + " 100.0% of that is serialisation.");
        assertThat(finding.costNs()).isEqualTo(us(20));
        assertThat(finding.evidence()).contains(new Evidence.Place("serialisation", "write_json", us(20), 1));
    }

    @Test
    void ofTimeOfWhichNothingIsRecordedNoGainIsClaimed() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LL..................................[json]
                stream 7     ..KKKKKKKK
                links in order
                """);

        assertThat(finding.claim()).endsWith(" of that is unattributed.");
        assertThat(finding.advice()).startsWith("Record the host side too");
        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause()).isEqualTo("nothing is recorded of what happens there");
    }

    @Test
    void isCleanWhenHeadAndTailAreShort() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  [load]LL................................[json]
                        stream 7     ........KKKKKKKK........KKKKKKKKKKKKKKKK
                        links 0-0
                        """)).isEqualTo("head and tail of the window are short");
    }

    @Test
    void saysNothingOfAHeadThatWaitsForDeviceWorkNotRecorded() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank()
                                .kernel("7", 2_000, 3_000, "gemm")
                                .launchedBy("main", 0, 10)))
                .isEqualTo("what the device waits for there is not in the recording");
    }
}
