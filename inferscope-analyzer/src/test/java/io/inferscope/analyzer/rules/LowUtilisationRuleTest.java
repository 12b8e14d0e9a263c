package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class LowUtilisationRuleTest {
    private final Rule rule = new LowUtilisationRule();

    /** 40 pieces of 10 ms, of each of which the GPU is busy for {@code busyMs}. */
    private static Timeline pieces(double... busyMs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 40; i++) {
            double busy = busyMs[i * busyMs.length / 40];
            double atUs = 10_000.0 * i;
            fixture.kernel("7", atUs, atUs + 1000 * busy, "gemm").launchedBy("main", atUs - 20, atUs - 10);
        }
        return fixture.kernel("7", 399_999, 400_000, "end").build();
    }

    @Test
    void aShortRecordingCannotBeCut() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  LL........LL
                stream 7     ..KK........KK
                links in order
                """)).isEqualTo("the span is too short to be cut into pieces");
    }

    @Test
    void aGpuThatIsNeverBusyIsStarved() {
        Finding finding = found(rule, pieces(3));

        assertThat(finding.claim())
                .startsWith(
                        "The GPU is starved from beginning to end: in pieces of 13.3 ms its utilisation hardly ever exceeds");
        assertThat(finding.share()).isGreaterThan(0.6);
        assertThat(finding.evidence()).anyMatch(e -> e.label().equals("longest stretch below half"));
    }

    @Test
    void aGpuThatIsBusyAtTimesIsNotStarved() {
        assertThat(clean(rule, pieces(10, 1))).isEqualTo("the GPU reaches a utilisation of 100.0%");
    }

    @Test
    void saysNothingWithoutDeviceWork() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  <aten::mm          >
                """)).isEqualTo("no device work is recorded");
    }
}
