package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeviceDependencyRuleTest {
    private final Rule rule = new DeviceDependencyRule();

    @Test
    void launchedWorkThatWaitsIsADependency() {
        Timeline timeline = TimelineFixture.blank()
                .kernel("7", 4, 8, "gemm")
                .launchedBy("main", 0, 2)
                .call("main", 2, 4, "cudaStreamWaitEvent")
                .kernel("7", 32, 36, "gemm")
                .launchedBy("main", 4, 6)
                .build();
        Finding finding = found(rule, timeline);

        assertThat(finding.costNs()).isEqualTo(us(20));
        assertThat(finding.claim()).contains("although the next operation is launched", "1 gaps before event waits");
        assertThat(finding.advice()).contains("event waits");
    }

    /** A model whose layers are spread over two devices, as by {@code device_map="auto"}. */
    @Test
    void devicesThatTakeTurnsAreSaid() {
        TimelineFixture turns = TimelineFixture.blank();
        for (String device : new String[] {"0", "1"}) {
            turns.device(device);
            for (int i = 0; i < 6; i++) {
                double atUs = 200 * i + (device.equals("1") ? 100 : 0);
                turns.kernel("7", atUs + 20, atUs + 120, "gemm").launchedBy("main", 2 * i, 2 * i + 1);
            }
        }
        Finding finding = found(rule, turns.build());

        assertThat(finding.claim()).contains("another device works nearly all that time: they take turns");
        assertThat(finding.advice()).contains("at the same time");
    }

    @Test
    void nodesOfGraphsWaitForOneAnother() {
        Finding finding = found(rule, """
                us           0         10        20
                thread main  GG
                stream 7     ..KK..kk..KK..kk..KK
                links 0-0 0-1 0-2 0-3 0-4
                """);

        assertThat(finding.costNs()).isEqualTo(us(8));
        assertThat(finding.advice()).contains("replayed graphs");
        assertThat(finding.gain()).isNull();
    }

    @Test
    void whichGapsAreTheTracersIsTheLimitOfTheTrustGate() {
        Timeline timeline = TimelineFixture.draw("""
                us           0         10        20
                thread main  GG
                stream 7     ..KK..kk..KK..kk..KK
                links 0-0 0-1 0-2 0-3 0-4
                """);
        Thresholds set = Thresholds.defaults().with(Map.of(Threshold.byKey().get("trust.graph-gap.ns"), 5_000.0));

        Verdict verdict = rule.evaluate(Analysis.of(timeline, set));

        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Found.class,
                        found -> assertThat(found.finding().gain()).isNotNull());
    }

    /** 22 us after the launch, and nothing says what for. */
    @Test
    void withoutAnEventOrAGraphNothingIsProved() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LLLL
                stream 7     ..KK........................kk
                links 0-0 0-1
                """);

        assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO);
        assertThat(finding.claim()).contains("waits for is not recorded");
        assertThat(finding.gain()).isNull();
    }

    @Test
    void idleTimeOfTheHostIsNone() {
        assertThat(clean(rule, """
                        us           0         10        20
                        thread main  LL............LL
                        stream 7     ..KK............KK
                        links in order
                        """)).isEqualTo("device work waits for other device work for 0.0% of the span");
    }
}
