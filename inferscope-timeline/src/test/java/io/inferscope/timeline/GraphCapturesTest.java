package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class GraphCapturesTest {
    /** The starts, in us, of the calls that each thread captured. */
    private static List<List<Long>> startsUs(Timeline timeline) {
        GraphCaptures captures = new GraphCaptures(timeline);
        return timeline.tracks().stream()
                .flatMap(track -> captures.on(track).stream())
                .map(calls -> Arrays.stream(calls)
                        .mapToObj(call -> timeline.startNs(call) / 1000)
                        .toList())
                .toList();
    }

    @Test
    void callsWithoutOperationBetweenBeginAndEndAreCaptured() {
        Timeline timeline = TimelineFixture.blank()
                .call("main", 0, 1, "cudaLaunchKernel")
                .call("main", 2, 3, "cudaStreamBeginCapture")
                .call("main", 4, 5, "cudaLaunchKernel")
                .call("main", 6, 7, "cudaStreamIsCapturing")
                .kernel("7", 10, 11, "k")
                .launchedBy("main", 8, 9)
                .call("main", 12, 13, "hipMemcpyAsync")
                .call("main", 14, 15, "cudaStreamEndCapture")
                .call("main", 16, 17, "cudaLaunchKernel")
                .build();

        assertThat(startsUs(timeline)).containsExactly(List.of(4L, 12L));
        assertThat(GraphCaptures.areIn(timeline)).isTrue();
    }

    @Test
    void aCaptureEndsOnItsThread() {
        Timeline timeline = TimelineFixture.blank()
                .call("a", 0, 1, "cudaStreamBeginCapture")
                .call("a", 2, 3, "cudaLaunchKernel")
                .call("b", 4, 5, "cudaLaunchKernel")
                .call("b", 6, 7, "cudaStreamEndCapture")
                .build();

        assertThat(startsUs(timeline)).isEmpty();
    }

    @Test
    void aCaptureOfNothingIsNone() {
        Timeline timeline = TimelineFixture.blank()
                .call("main", 0, 1, "cudaStreamBeginCapture")
                .call("main", 2, 3, "cudaStreamEndCapture")
                .build();

        assertThat(startsUs(timeline)).isEmpty();
    }

    @Test
    void theNameOfACallTellsTheOperation() {
        assertThat(LaunchCalls.operation("hipMemcpyWithStream").isMemcpy()).isTrue();
        assertThat(LaunchCalls.operation("cuMemsetD8Async")).isEqualTo(RowKind.MEMSET);
        assertThat(LaunchCalls.operation("cudaLaunchKernel")).isEqualTo(RowKind.KERNEL);
    }
}
