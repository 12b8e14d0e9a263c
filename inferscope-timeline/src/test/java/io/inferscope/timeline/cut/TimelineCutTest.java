package io.inferscope.timeline.cut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.RandomTimelines;
import io.inferscope.timeline.fixture.SameTimeline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimelineCutTest {
    private final TimelineBuilder builder = new TimelineBuilder();
    private final int process = builder.track(TrackKind.PROCESS, -1, "process 1");
    private final int thread = builder.track(TrackKind.THREAD, process, "7");

    private int row(RowKind kind, long startNs, long endNs, String name) {
        return builder.row(kind, thread, startNs, endNs, builder.name(name));
    }

    private static List<String> rows(Timeline timeline) {
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            rows.add(timeline.name(row) + " " + timeline.startNs(row) + "-" + timeline.endNs(row));
        }
        return rows;
    }

    @Test
    void rowsAcrossABorderAreClippedAndRowsOutsideAreGone() {
        row(RowKind.ANNOTATION, 0, 100, "before");
        row(RowKind.ANNOTATION, 50, 150, "first");
        row(RowKind.ANNOTATION, 120, 130, "within");
        row(RowKind.ANNOTATION, 180, 300, "last");
        row(RowKind.ANNOTATION, 200, 300, "after");
        row(RowKind.INSTANT, 100, 100, "at the start");
        row(RowKind.INSTANT, 200, 200, "at the end");

        assertThat(rows(TimelineCut.of(builder.build("test"), 100, 200)))
                .containsExactlyInAnyOrder("first 100-150", "at the start 100-100", "within 120-130", "last 180-200");
    }

    /** Operators of a replay inside the part are known by what was captured long before it. */
    @Test
    void capturedRowsStayAsTheyAre() {
        int captured = builder.track(TrackKind.CAPTURE, process, "7 captured before");
        builder.row(RowKind.OPERATOR, captured, -900, -800, builder.name("captured"));
        row(RowKind.ANNOTATION, 0, 100, "before");
        row(RowKind.ANNOTATION, 120, 130, "within");

        assertThat(rows(TimelineCut.of(builder.build("test"), 100, 200)))
                .containsExactlyInAnyOrder("captured -900--800", "within 120-130");
    }

    @Test
    void whatARowCountsIsApportioned() {
        int state = row(RowKind.THREAD_STATE, 0, 400, "state");
        builder.attribute(state, Attribute.ON_CPU_NS, 200);
        builder.attribute(state, Attribute.RUNNABLE_NS, 100);
        builder.attribute(state, Attribute.WAIT_REASON, 3);
        int sample = row(RowKind.STACK_SAMPLE, 0, 400, "sample");
        builder.attribute(sample, Attribute.STACK, builder.stack(-1, builder.name("a.py(1): f")));
        builder.attribute(sample, Attribute.SAMPLES, 40);

        Timeline cut = TimelineCut.of(builder.build("test"), 300, 1000);

        assertThat(cut.attribute(0, Attribute.ON_CPU_NS)).isEqualTo(50);
        assertThat(cut.attribute(0, Attribute.RUNNABLE_NS)).isEqualTo(25);
        assertThat(cut.attribute(0, Attribute.WAIT_REASON)).isEqualTo(3);
        assertThat(cut.attribute(1, Attribute.SAMPLES)).isEqualTo(10);
        assertThat(cut.stacks().text((int) cut.attribute(1, Attribute.STACK))).isEqualTo("a.py(1): f");
    }

    @Test
    void theLaunchOfAKernelStaysAtTheBorder() {
        int launch = row(RowKind.RUNTIME_CALL, 40, 60, "cudaLaunchKernel");
        int device = builder.track(TrackKind.DEVICE, -1, "device 0");
        int stream = builder.track(TrackKind.STREAM, device, "7");
        int kernel = builder.row(RowKind.KERNEL, stream, 90, 120, builder.name("gemm"));
        builder.link(LinkKind.LAUNCH, launch, kernel, 100);

        Timeline cut = TimelineCut.of(builder.build("test"), 100, 200);

        assertThat(rows(cut)).containsExactlyInAnyOrder("cudaLaunchKernel 100-100", "gemm 100-120");
        assertThat(cut.links().count()).isEqualTo(1);
        assertThat(cut.name(cut.links().fromRow(0))).isEqualTo("cudaLaunchKernel");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void theWholeIsItsOwnPart(long seed) {
        Timeline timeline = RandomTimelines.of(seed);

        SameTimeline.assertSame(TimelineCut.of(timeline, Long.MIN_VALUE / 4, Long.MAX_VALUE / 4), timeline);
    }

    @Test
    void aPartWithoutLengthIsRefused() {
        Timeline timeline = builder.build("test");

        assertThatThrownBy(() -> TimelineCut.of(timeline, 5, 5)).isInstanceOf(IllegalArgumentException.class);
    }
}
