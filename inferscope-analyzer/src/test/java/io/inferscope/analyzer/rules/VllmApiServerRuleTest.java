package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class VllmApiServerRuleTest {
    private final Rule rule = new VllmApiServerRule();

    /** A server whose thread is on a CPU for {@code cpuUs} of each 10 ms of a second. */
    private static TimelineFixture server(double cpuUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            fixture.state("main", 10_000.0 * i, 10_000.0 * (i + 1), cpuUs, 0, WaitReason.SOCKET);
        }
        TimelineBuilder builder = fixture.builder();
        int lane = builder.track(TrackKind.REQUEST, builder.track(TrackKind.PROCESS, -1, "1"), "0");
        builder.row(RowKind.REQUEST, lane, us(100), us(900_000), builder.name("vllm.generate"));
        return fixture;
    }

    private static TimelineFixture waiting(TimelineFixture fixture, double requests) {
        return fixture.counter("vllm:num_requests_waiting", 100_000, requests)
                .counter("vllm:num_requests_waiting", 900_000, requests);
    }

    @Test
    void aBusyServerBeforeAHungryEngineIsReported() {
        Finding finding = found(rule, waiting(server(9_800), 0));

        assertThat(finding.claim())
                .startsWith(
                        "The API server's thread, process 1, thread main, is on a CPU for 98.0% of the window, while for 100.0% of the time no request waits in the engine");
        assertThat(finding.advice()).contains("--api-server-count 4");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void anIdleGpuTellsTheSame() {
        Finding finding = found(rule, server(9_800).kernel("7", 0, 100_000, "gemm"));

        assertThat(finding.claim()).contains("while for 90.0% of the time the GPU is idle");
    }

    @Test
    void aFedEngineIsClean() {
        assertThat(clean(rule, waiting(server(9_800), 20))).isEqualTo("the API server is busy, and so is the engine");
    }

    @Test
    void aServerWithTimeIsClean() {
        assertThat(clean(rule, waiting(server(4_000), 0)))
                .isEqualTo("the API server's busiest thread is on a CPU for 40.0% of the window");
    }

    @Test
    void saysNothingWithoutRequests() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  [generate          ]
                """)).startsWith("no process that answers vLLM's requests");
    }

    @Test
    void saysNothingWhereTheEngineIsNotSeen() {
        assertThat(notApplicable(rule, server(9_800)))
                .isEqualTo("neither vllm:num_requests_waiting nor device work is recorded");
    }
}
