package io.inferscope.report.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsoleLiveTest {
    private static final long MS = 1_000_000;

    @Test
    void theLedgerCoresAndDevicesAreShown() {
        List<String> lines = lines(80, 20);

        assertThat(lines.get(0)).isEqualTo("serve.py, the last 10 s");
        assertThat(lines.get(1)).isEqualTo("The time of device 0:");
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("GPU compute", "40.0 ms", "40.0%"));
        assertThat(lines).contains("CPU: 0.8 cores used by 1 of 1 threads, 0.0 more wanted");
        assertThat(lines).contains("GPU 0: working 40.0% of the time, 0 gaps, the longest 0 ns");
        assertThat(lines)
                .contains("GPU 0 by its driver: in use 35.0%, memory 10.0 of 80.0 GB, 300 W, 55 °C")
                .noneMatch(line -> line.contains("\u001b"));
    }

    @Test
    void noMoreLinesAreMadeThanFitAndNoneIsWider() {
        for (int height : new int[] {6, 8, 12}) {
            assertThat(lines(60, height)).hasSizeLessThanOrEqualTo(height).allMatch(line -> line.length() <= 60);
        }
    }

    private static List<String> lines(int width, int height) {
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        int thread = builder.track(TrackKind.THREAD, process, "1");
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "7");
        builder.row(RowKind.ANNOTATION, thread, 0, 100 * MS, builder.name("serve"));
        builder.row(RowKind.KERNEL, stream, 60 * MS, 100 * MS, builder.name("gemm"));
        int state = builder.row(RowKind.THREAD_STATE, thread, 0, 100 * MS, builder.name("running"));
        builder.attribute(state, Attribute.ON_CPU_NS, 80 * MS);
        builder.attribute(state, Attribute.RUNNABLE_NS, 0);
        counter(builder, "nvml.utilisation_ratio", 0.35);
        counter(builder, "nvml.memory_used_bytes", 10e9);
        counter(builder, "nvml.memory_total_bytes", 80e9);
        counter(builder, "nvml.power_watts", 300);
        counter(builder, "nvml.temperature_celsius", 55);
        return ConsoleLive.lines(
                new Analyzer().analysis(builder.build("test")),
                "serve.py, the last 10 s",
                new ConsoleOptions(width, false, false),
                height);
    }

    private static void counter(TimelineBuilder builder, String name, double value) {
        String label = name + "{device=\"0\"}";
        int row = builder.row(
                RowKind.COUNTER, builder.track(TrackKind.COUNTER, -1, label), 50 * MS, 50 * MS, builder.name(label));
        builder.attribute(row, Attribute.COUNTER_VALUE, Double.doubleToRawLongBits(value));
    }
}
