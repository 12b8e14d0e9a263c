package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.time;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class BlockingSyncRuleTest {
    private final Rule rule = new BlockingSyncRule();

    @Test
    void costsTheIdleTimeUnderTheCallsNotTheCallsThemselves() {
        Finding finding = found(rule, """
                us           0         10        20        30        40        50
                thread main  LL..YYYYYYYYYYYYYYLL..YYYYYYYYYYYYYYYYLL
                stream 7     ..KKKKKKKKKK........kkkkkkkkkkkkkk......KKKKKKKKKK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("The host waits for the GPU in 2 synchronising calls; while it comes back,"
                        + " the GPU has nothing to do for 10.0 us (20.8% of its span).");
        assertThat(finding.costNs()).isEqualTo(us(10));
        assertThat(finding.share()).isEqualTo(10.0 / 48, within(1e-9));
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.advice()).contains("`.item()`").contains("non_blocking=True");
        assertThat(finding.evidence())
                .containsExactly(
                        count("synchronising calls", 2),
                        time("time inside them", us(30)),
                        new Evidence.Range("longest: cudaStreamSynchronize", us(22), us(38), "thread main", ""),
                        new Evidence.Place("synchronisation", "cudaStreamSynchronize", us(10), 2));
    }

    @Test
    void countsTheTimeInsideTheSpanOfACallThatOutlastsIt() {
        Finding finding = found(rule, """
                us           0         10        20        30
                thread main  YYYYYYYYYYYYYYYYLL
                thread two   LL
                stream 7     ..KKKKKK..........KKKKKKKK
                links 0-0 1-1
                """);

        assertThat(finding.claim()).startsWith("The host waits for the GPU in 1 synchronising calls;");
        assertThat(finding.costNs()).isEqualTo(us(8));
        assertThat(finding.evidence()).contains(time("time inside them", us(14)));
    }

    @Test
    void waitingWhileTheGpuWorksIsClean() {
        assertThat(clean(rule, """
                        us           0         10        20        30
                        thread main  LLYYYYYYYYYYYYYYYY
                        thread main  ..................
                        thread two   .........LL.......
                        stream 7     ..KKKKKKKKKKKKKKKKkkkkkkkkkkkk
                        links in order
                        """))
                .isEqualTo("1 synchronising calls; the GPU is idle under them for 0.0% of the span");
    }
}
