package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import org.junit.jupiter.api.Test;

class GpuIdleRuleTest {
    private final Rule rule = new GpuIdleRule();

    @Test
    void namesTheLargestCauseOfTheIdleTime() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LL........[tokenize          ]LL
                stream 7     ..KKKKKKKK......................KKKKKKKKKK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("GPU 0 is idle for 22.0 us, 55.0% of its span; 90.9% of that is tokenization.");
        assertThat(finding.costNs()).isEqualTo(us(22));
        assertThat(finding.share()).isEqualTo(0.55, within(1e-9));
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.advice()).contains("the tokenizer's hottest lines");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("tokenization", "tokenize", us(20), 1),
                        new Evidence.Place("kernel launch", "cudaLaunchKernel", us(2), 1),
                        new Evidence.Range("idle gap, mostly tokenization", us(10), us(32), "device 0", ""),
                        count("idle gaps", 1));
    }

    /** The device is idle while the thread copies bytes out of the driver's buffer; the transfer itself is no idle time. */
    @Test
    void theStagingOfACopyIsACauseAndItsTransferIsNot() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                name D = Memcpy DtoH (Device -> Pageable)
                bytes D = 1000000
                thread main  LL........{cudaMemcpyAsync    }......LL
                stream 7     ..KKKKKKKKDDDDDDDDDD................KKKKKKKKKK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("GPU 0 is idle for 16.0 us, 36.4% of its span; 68.8% of that is exposed D2H copy.");
    }

    @Test
    void headAndTailAreNotIdleTimeOfTheSpan() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  [tokenize        ]Ll
                        thread main  ....................[json              ]
                        stream 7     ....................KKKKKkkkkk
                        links in order
                        """)).isEqualTo("idle for 0.0% of its span");
    }

    @Test
    void oneBusyStreamIsEnough() {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKK..........
                        stream 8  ..........HHHHHHHHHH
                        """)).isEqualTo("idle for 0.0% of its span");
    }
}
