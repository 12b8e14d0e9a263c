package io.inferscope.report.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.report.Rendered;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import org.junit.jupiter.api.Test;

/** Idle time of several devices is a sum, and says so. */
class IdleTablesTest {
    private final TimelineBuilder builder = new TimelineBuilder();

    /** Draws three kernels, one each 100 us. */
    private IdleTablesTest device(String id, long kernelUs) {
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, id), "0/7");
        for (int i = 0; i < 3; i++) {
            builder.row(RowKind.KERNEL, stream, i * 100_000L, (i * 100L + kernelUs) * 1_000, builder.name("gemm"));
        }
        return this;
    }

    private String rendered() {
        return Rendered.as("markdown", new Analyzer().analyze(builder.build("test"), "test"));
    }

    @Test
    void devicesThatDifferAreNamed() {
        String report = device("0", 10).device("1", 40).rendered();

        assertThat(report)
                .contains("Summed over 2 devices, which are idle at the same time: it may be more than the window.")
                .containsPattern("\\| Cause \\| Idle \\| Of all idle time \\| Per device \\|")
                .contains("| 330 us | 100.0% | 120 us (device 1) to 210 us (device 0) |");
    }

    @Test
    void devicesThatAreAlikeHaveOneFigure() {
        assertThat(device("0", 10).device("1", 10).rendered()).contains("| 360 us | 100.0% | 180 us each |");
    }

    @Test
    void nothingIsSaidOfOneDevice() {
        assertThat(device("0", 10).rendered()).doesNotContain("Summed over").doesNotContain("Per device");
    }
}
