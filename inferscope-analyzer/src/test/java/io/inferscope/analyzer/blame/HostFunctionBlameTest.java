package io.inferscope.analyzer.blame;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Idle time of a device whose stream a function of the host holds up. */
class HostFunctionBlameTest {
    private static final String NAME = "host function in a stream";

    private static TimelineFixture linked(TimelineFixture fixture, int function) {
        fixture.builder().link(LinkKind.HOST_FUNCTION, function, fixture.lastRow(), 100);
        return fixture;
    }

    /** By thread and class, in us. */
    private static Map<String, Long> blame(TimelineFixture fixture) {
        Timeline timeline = fixture.build();
        List<BlameFigures> figures =
                Analysis.of(timeline, Thresholds.defaults()).blameFigures();
        Map<String, Long> sums = new TreeMap<>();
        figures.forEach(one -> sums.merge(
                one.thread().replace("thread ", "") + " " + one.cause() + " " + one.activity(),
                one.ns() / us(1),
                Long::sum));
        return sums;
    }

    /** The kernel behind the function is launched before it begins. */
    @Test
    void afterTheLaunchTheGapBelongsToTheThreadThatRunsTheFunction() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 5, 10, "first")
                .launchedBy("main", 0, 1)
                .host(RowKind.HOST_FUNCTION, "callbacks", 14, 40, NAME);
        int function = fixture.lastRow();
        fixture.kernel("7", 42, 50, "second").launchedBy("main", 3, 4);

        assertThat(blame(linked(fixture, function)))
                .containsEntry("callbacks CPU_UNKNOWN " + NAME, 26L)
                .containsEntry("main GPU_DEPENDENCY cudaLaunchKernel", 2L)
                .containsEntry("main FRAMEWORK_LAUNCH_LATENCY cudaLaunchKernel", 8L); // Of both kernels.
    }

    /** The launching thread waits for the function's stream, then launches what comes next. */
    @Test
    void aThreadThatWaitsForTheFunctionIsNotToBlame() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 5, 10, "first")
                .launchedBy("main", 0, 1)
                .call("main", 16, 41, "cudaStreamSynchronize")
                .host(RowKind.HOST_FUNCTION, "callbacks", 14, 40, NAME);
        int function = fixture.lastRow();
        fixture.kernel("7", 52, 60, "second").launchedBy("main", 46, 48);

        assertThat(blame(linked(fixture, function)))
                .containsEntry("callbacks CPU_UNKNOWN " + NAME, 24L)
                .containsEntry("main FRAMEWORK_SYNC_RETURN cudaStreamSynchronize", 1L);
    }

    /** Three times a function takes 2 ms, and once another kernel is late for no known reason. */
    @Test
    void kernelsBehindTheFunctionAreNotLaunchedLate() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 4; i++) {
            double at = i * 3000;
            fixture.kernel("7", at + 5, at + 10, "first").launchedBy("main", at, at + 1);
            fixture.host(RowKind.HOST_FUNCTION, "callbacks", at + 14, at + 2014, NAME);
            int function = fixture.lastRow();
            fixture.kernel("7", at + 2016, at + 2020, "second").launchedBy("main", at + 11, at + 12);
            if (i > 0) {
                linked(fixture, function);
            }
        }
        HostCalls late = LaunchCosts.of(Analysis.of(fixture.build(), Thresholds.defaults()))
                .late();
        assertThat(late.count()).isEqualTo(1);
    }

    /** While the function runs, the thread does something else, for which nothing waits but itself. */
    @Test
    void aThreadThatIsBusyMeanwhileIs() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 5, 10, "first")
                .launchedBy("main", 0, 1)
                .host(RowKind.OPERATOR, "main", 11, 45, "aten::nonzero")
                .host(RowKind.HOST_FUNCTION, "callbacks", 14, 40, NAME);
        int function = fixture.lastRow();
        fixture.kernel("7", 52, 60, "second").launchedBy("main", 46, 48);

        assertThat(blame(linked(fixture, function)).keySet()).noneMatch(key -> key.startsWith("callbacks"));
    }
}
