package io.inferscope.report.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.report.Rendered;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import org.junit.jupiter.api.Test;

class ConsoleWorkTest {
    private final TimelineBuilder builder = new TimelineBuilder();

    private String rendered() {
        return Rendered.as("console", new Analyzer().analyze(builder.build("test"), "test"));
    }

    private void kernels(int count) {
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "layers");
        for (int i = 1; i <= count; i++) {
            builder.row(RowKind.KERNEL, stream, i * 1_000L, i * 1_000L + i * 100L, builder.name("layer" + i));
        }
    }

    @Test
    void operatorsOfAProgramWithoutDeviceWorkAreRankedByTheirOwnTime() {
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        builder.row(RowKind.OPERATOR, thread, 0, 9_000, builder.name("linear"));
        builder.row(RowKind.OPERATOR, thread, 1_000, 8_000, builder.name("addmm"));
        builder.row(RowKind.OPERATOR, thread, 20_000, 21_000, builder.name("linear"));

        assertThat(rendered()).contains("""
                Operators, by their own time:
                    7.00 us  addmm
                    3.00 us  linear, 2 times
                """);
    }

    @Test
    void layersWithoutInstantsAreRankedByTime() {
        kernels(5);
        builder.property(TimelineInfo.INSTANTS, TimelineInfo.LAID_OUT);

        assertThat(rendered()).contains("""
                Kernels and layers, by time, 4 of 5:
                     500 ns  layer5
                     400 ns  layer4
                """);
    }

    @Test
    void kernelsOfATimelineAreLeftToTheOtherFormats() {
        kernels(5);

        assertThat(rendered()).doesNotContain("layer5").doesNotContain("Operators, by");
    }
}
