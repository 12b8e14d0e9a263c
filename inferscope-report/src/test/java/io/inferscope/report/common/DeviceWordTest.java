package io.inferscope.report.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceWordTest {
    private static final Renderer TEXT = new Renderer() {
        @Override
        public String format() {
            return "text";
        }

        @Override
        public void render(Report report, Appendable out) throws IOException {
            out.append("GPU-bound: other GPUs wait for GPU TPU:0, CPU at `--gpu`, GPU_0");
        }
    };

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TPU:0 | TPU-bound: other TPUs wait for TPU:0, CPU at `--gpu`, GPU_0",
                "NPU:3 | NPU-bound: other NPUs wait for NPU TPU:0, CPU at `--gpu`, GPU_0",
                "0 | GPU-bound: other GPUs wait for GPU TPU:0, CPU at `--gpu`, GPU_0",
                "rank 0: 1 | GPU-bound: other GPUs wait for GPU TPU:0, CPU at `--gpu`, GPU_0",
            })
    void aDeviceIsCalledWhatItsIdSays(String device, String text) throws IOException {
        TimelineFixture fixture = TimelineFixture.blank().device(device).kernel("7", 0, 10, "fusion");
        StringBuilder out = new StringBuilder();

        new DeviceWord(TEXT).render(new Analyzer().analyze(fixture.build(), "a"), out);

        assertThat(out).hasToString(text);
    }
}
