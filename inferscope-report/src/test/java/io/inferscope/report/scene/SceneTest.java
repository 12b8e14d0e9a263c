package io.inferscope.report.scene;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.Explained;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import org.junit.jupiter.api.Test;

class SceneTest {
    private final TimelineBuilder builder = new TimelineBuilder();
    private final int process = builder.track(TrackKind.PROCESS, -1, "1");

    /** The waiting thread has rows, but none that is drawn: the numbers of the tracks after it must not count it. */
    @Test
    void aTrackWithoutAnythingToDrawTakesNoNumber() {
        int waiting = builder.track(TrackKind.THREAD, process, "1");
        int working = builder.track(TrackKind.THREAD, process, "2");
        for (int i = 0; i < 9; i++) {
            int row = builder.row(RowKind.THREAD_STATE, waiting, i * 100, i * 100 + 100, builder.name("blocked"));
            builder.attribute(row, Attribute.ON_CPU_NS, 0);
            builder.attribute(row, Attribute.RUNNABLE_NS, 0);
        }
        builder.row(RowKind.ANNOTATION, working, 0, 900, builder.name("work"));

        Scene scene = scene(Scene.Limits.USUAL);

        assertThat(scene.track("thread 1")).isEqualTo(-1);
        assertThat(scene.track("thread 2")).isZero();
    }

    /** Ten equal steps: the slowest five lie in the parts that are looked at afterwards, whose events are not to count again. */
    @Test
    void eventsOfPartsThatOverlapCountOnce() {
        int thread = builder.track(TrackKind.THREAD, process, "1");
        for (int step = 0; step < 10; step++) {
            long startNs = step * 1_000_000L;
            builder.row(RowKind.ANNOTATION, thread, startNs, startNs + 1_000_000, builder.name("ProfilerStep#" + step));
            for (int i = 0; i < 99; i++) {
                builder.row(
                        RowKind.OPERATOR,
                        thread,
                        startNs + i * 10_000,
                        startNs + i * 10_000 + 9_000,
                        builder.name("mm"));
            }
        }

        assertThat(scene(new Scene.Limits(900, 5_600_000)).events()).isBetween(850L, 1_000L);
    }

    private Scene scene(Scene.Limits limits) {
        Explained explained = new Analyzer().explain(builder.build("test"), "test");
        return Scene.of(explained.analysis(), explained.report(), limits);
    }
}
