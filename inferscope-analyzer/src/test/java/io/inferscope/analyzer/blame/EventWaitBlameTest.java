package io.inferscope.analyzer.blame;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** What idle time of a device is called in which a launched operation waits for an event. */
class EventWaitBlameTest {
    /** Stream 8's operation is launched at once and starts 26 us later; the event it waits for was recorded behind stream 7's. */
    private static Timeline waiting(boolean recorded) {
        TimelineFixture fixture =
                TimelineFixture.blank().kernel("7", 5, 10, "copy in").launchedBy("main", 0, 1);
        int giver = fixture.lastRow();
        fixture.call("main", 11, 12, "cudaStreamWaitEvent")
                .where("overlap.py:3")
                .kernel("8", 40, 50, "gemm")
                .launchedBy("main", 12, 14);
        if (recorded) {
            fixture.builder().link(LinkKind.EVENT_WAIT, giver, fixture.lastRow(), 100);
        }
        return fixture.build();
    }

    private static BlameFigures dependency(Timeline timeline) {
        return Analysis.of(timeline, Thresholds.defaults()).blameFigures().stream()
                .filter(blame -> blame.cause() == LedgerClass.GPU_DEPENDENCY)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theCallThatMadeTheStreamWaitIsNamed() {
        BlameFigures blame = dependency(waiting(true));

        assertThat(blame.activity()).isEqualTo("cudaStreamWaitEvent");
        assertThat(blame.where()).isEqualTo("overlap.py:3");
        assertThat(blame.ns()).isEqualTo(us(21));
    }

    @Test
    void withoutARecordedWaitItIsTheLaunch() {
        BlameFigures blame = dependency(waiting(false));

        assertThat(blame.activity()).isEqualTo("cudaLaunchKernel");
        assertThat(blame.ns()).isEqualTo(us(21));
    }
}
