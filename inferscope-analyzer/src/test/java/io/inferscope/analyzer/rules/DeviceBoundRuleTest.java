package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.analyzer.rules.RuleVerdicts.time;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import org.junit.jupiter.api.Test;

class DeviceBoundRuleTest {
    private final Rule rule = new DeviceBoundRule();

    @Test
    void saysThatABusyGpuIsHealthy() {
        Finding finding = found(rule, """
                us        0         10        20        30        40
                stream 7  KKKKKKKKKKKKKKKKKK..kkkkkkkkkkkkkkkkkkkk
                """);

        assertThat(finding.claim())
                .isEqualTo(
                        "The GPU computes for 38.0 us, 95.0% of its span: nothing around it is worth changing first.");
        assertThat(finding.costNs()).isEqualTo(us(38));
        assertThat(finding.share()).isEqualTo(0.95, within(1e-9));
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.severity()).isEqualTo(Severity.HEALTHY);
        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause()).isEqualTo("nothing is lost here");
        assertThat(finding.advice()).contains("lower precision", "a faster GPU");
        assertThat(finding.evidence()).containsExactly(new Evidence.Place("kernel", "gemm", us(38), 2));
    }

    @Test
    void judgesTheModelOnTheCpuWithoutAGpu() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [generate                          ][x]
                """);

        assertThat(finding.claim())
                .isEqualTo("The model computes for 36.0 us, 92.3% of its window:"
                        + " nothing around it is worth changing first.");
        assertThat(finding.of()).isEqualTo("window of thread main");
        assertThat(finding.advice()).contains("more cores");
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("model compute on CPU, wall time", "generate", us(36), 1));
    }

    @Test
    void aSpanThatIsASmallPartOfTheWindowIsNotCalledHealthy() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  [wait                           ]Ll
                        stream 7     ..................................KKKkkk
                        links in order
                        """))
                .isEqualTo("the GPU computes most of its span, but the span is less than half of the window");
    }

    @Test
    void operatorsAreEvidenceWhereThereAreNoScopes() {
        Finding finding = found(rule, """
                us           0         10        20
                thread main  <aten::addmm       >
                """);

        assertThat(finding.costNs()).isEqualTo(us(20));
        assertThat(finding.evidence())
                .containsExactly(
                        time("model compute on CPU of thread main", us(20)),
                        new Evidence.Place("operator", "aten::addmm", us(20), 1));
    }

    @Test
    void saysNothingOfTheCpuWhereLaunchedDeviceWorkIsMissing() {
        assertThat(notApplicable(rule, """
                        us           0         10        20
                        thread main  <aten::addmm       >
                        thread main  ....LL....LL....LL..
                        """)).isEqualTo("device work was launched, and none is recorded");
    }

    @Test
    void aGpuThatWaitsIsNotBound() {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKK.....KKKKK
                        """)).isEqualTo("compute takes 75.0% of the span");
    }
}
