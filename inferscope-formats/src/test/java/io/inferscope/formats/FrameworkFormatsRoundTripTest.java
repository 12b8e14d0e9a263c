package io.inferscope.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.onnx.OnnxRuntimeImporterTest;
import io.inferscope.formats.tensorrt.TrtexecImporterTest;
import io.inferscope.formats.xla.XlaTraceImporterTest;
import io.inferscope.formats.xla.XplaneImporterTest;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.kineto.KinetoExporter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrameworkFormatsRoundTripTest {
    @TempDir
    private Path folder;

    @Test
    void aRecordingWrittenAsATraceReadsBackAsItWas() throws IOException, ImportException {
        List<byte[]> recordings = List.of(
                XplaneImporterTest.resource("host.xplane.pb"),
                OnnxRuntimeImporterTest.PROFILE.getBytes(StandardCharsets.UTF_8),
                XlaTraceImporterTest.GPU.getBytes(StandardCharsets.UTF_8),
                TrtexecImporterTest.TIMES.getBytes(StandardCharsets.UTF_8),
                TrtexecImporterTest.PROFILE.getBytes(StandardCharsets.UTF_8));
        for (byte[] recording : recordings) {
            Timeline before = Formats.importers().load(TraceFile.of(folder, "recording", recording));
            Path written = folder.resolve("written.json.gz");
            KinetoExporter.write(before, written);

            Timeline after = Formats.importers().load(written);

            assertThat(after.info().format()).isEqualTo("kineto");
            assertThat(TimelineDump.of(after)).isEqualTo(TimelineDump.of(before));
            assertThat(after.originUnixNs()).isEqualTo(before.originUnixNs());
            assertThat(after.instantsAreRecorded()).isEqualTo(before.instantsAreRecorded());
        }
    }
}
