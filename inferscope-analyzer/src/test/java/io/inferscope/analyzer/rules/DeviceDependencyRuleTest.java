package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class DeviceDependencyRuleTest {
    private final Rule rule = new DeviceDependencyRule();

    @Test
    void launchedWorkThatWaitsIsADependency() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LLLL{cudaStreamWaitEvent}
                stream 7     ..KK........................kk
                links 0-0 0-1
                """);

        assertThat(finding.costNs()).isEqualTo(us(22));
        assertThat(finding.claim()).contains("although the next operation is launched", "1 event waits");
        assertThat(finding.advice()).contains("event waits");
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
    }

    @Test
    void idleTimeOfTheHostIsNone() {
        assertThat(clean(rule, """
                        us           0         10        20
                        thread main  LL............LL
                        stream 7     ..KK............KK
                        links in order
                        """)).isEqualTo("the GPU waits for itself for 0.0% of the span");
    }
}
