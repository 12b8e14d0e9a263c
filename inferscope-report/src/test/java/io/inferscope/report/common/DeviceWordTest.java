package io.inferscope.report.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.Renderers;
import io.inferscope.report.json.JsonRenderer;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceWordTest {
    private static final String TEXT = "GPU-bound: other GPUs wait for GPU TPU:0, CPU at `--gpu`, GPU_0. Idle GPU.";

    private static Renderer renderer(String text) {
        return new Renderer() {
            @Override
            public String format() {
                return "text";
            }

            @Override
            public void render(Report report, Appendable out) throws IOException {
                out.append(text);
            }
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TPU:0 | TPU-bound: other TPUs wait for TPU:0, CPU at `--gpu`, GPU_0. Idle TPU.",
                "NPU:3 | NPU-bound: other NPUs wait for NPU TPU:0, CPU at `--gpu`, GPU_0. Idle NPU.",
                "0 | GPU-bound: other GPUs wait for GPU TPU:0, CPU at `--gpu`, GPU_0. Idle GPU.",
                "rank 0: 1 | GPU-bound: other GPUs wait for GPU TPU:0, CPU at `--gpu`, GPU_0. Idle GPU.",
            })
    void aDeviceIsCalledWhatItsIdSays(String device, String text) throws IOException {
        TimelineFixture fixture = TimelineFixture.blank().device(device).kernel("7", 0, 10, "fusion");
        StringBuilder out = new StringBuilder();

        new DeviceWord(renderer(TEXT)).render(new Analyzer().analyze(fixture.build(), "a"), out);

        assertThat(out).hasToString(text);
    }

    /** What the recording and the user named keeps its name. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "read /data/GPU/run.pb",
                "read /data/GPU",
                "read GPU-run.pb",
                "read run.GPU.json",
                "read C:\\GPU\\a.pb",
                "kernel \"run on GPU now\" is slow",
                "add `inferscope analyze 'GPU run.pb'`",
                "kernel &quot;run on GPU now&quot; is slow",
                "<a href=\"GPU\" title=\"a GPU b\">"
            })
    void namesStay(String text) throws IOException {
        TimelineFixture fixture = TimelineFixture.blank().device("TPU:0").kernel("7", 0, 10, "fusion");
        StringBuilder out = new StringBuilder();

        new DeviceWord(renderer(text)).render(new Analyzer().analyze(fixture.build(), "a"), out);

        assertThat(out).hasToString(text);
    }

    @Test
    void jsonHoldsTheReportAsItIs() throws IOException {
        TimelineFixture fixture = TimelineFixture.blank().device("TPU:0").kernel("7", 0, 10, "a GPU b");
        Report report = new Analyzer().analyze(fixture.build(), "GPU run.pb");
        StringBuilder raw = new StringBuilder();
        new JsonRenderer().render(report, raw);
        StringBuilder out = new StringBuilder();

        Renderers.byFormat("json").render(report, out);

        assertThat(out).hasToString(raw.toString()).contains("GPU run.pb");
    }
}
