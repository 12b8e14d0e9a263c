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
import io.inferscope.timeline.fixture.TimelineFixture;
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
                .isEqualTo(
                        "In 2 calls the host waits until the GPU has no work left; while it returns and launches again,"
                                + " the GPU is idle for 14.0 us (29.2% of its span).");
        assertThat(finding.costNs()).isEqualTo(us(10 + 2 * 2));
        assertThat(finding.share()).isEqualTo(14.0 / 48, within(1e-9));
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.advice()).contains("`.item()`").contains("non_blocking=True");
        assertThat(finding.evidence())
                .containsExactly(
                        count("synchronising calls", 2),
                        time("time inside them", us(30)),
                        time("idle time in which it launches again", us(4)),
                        new Evidence.Place("the queue was emptied at", "cudaStreamSynchronize", us(14), 2),
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

        assertThat(finding.claim()).startsWith("In 1 calls the host waits");
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
                .isEqualTo("1 synchronising calls; the GPU is idle under and after them for 0.0% of the span");
    }

    /** Two copies that wait for the kernel before them, and one synchronisation. */
    @Test
    void copiesThatWaitAreCountedOnceInClaimAndEvidence() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 3; i++) {
            int fromUs = 100 * i;
            fixture.kernel("7", fromUs + 2, fromUs + 40, "gemm").launchedBy("main", fromUs, fromUs + 1);
            if (i < 2) {
                fixture.d2h("7", fromUs + 40, fromUs + 44, "Memcpy DtoH")
                        .launchedBy("main", fromUs + 10, fromUs + 60, "cudaMemcpyAsync");
            }
        }
        fixture.call("main", 210, 260, "cudaStreamSynchronize");
        fixture.kernel("7", 264, 270, "gemm").launchedBy("main", 261, 262);

        Finding finding = found(rule, fixture);

        assertThat(finding.claim()).startsWith("In 3 calls the host waits");
        assertThat(finding.evidence())
                .contains(count("synchronising calls", 3), time("time inside them", us(50 + 50 + 50)));
    }
}
