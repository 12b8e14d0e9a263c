package io.inferscope.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.onnx.OnnxRuntimeImporterTest;
import io.inferscope.formats.tensorrt.TrtexecImporterTest;
import io.inferscope.formats.xla.XplaneImporterTest;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mutated recordings of the frameworks' own profilers: an importer ends, and its only complaint is an ImportException of one line. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FrameworkFormatsFuzzTest {
    private static final int ROUNDS = 150;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void mutatedRecordingsNeverBreakTheImporters(long seed) throws IOException {
        Random random = new Random(seed);
        for (byte[] recording : recordings()) {
            for (int i = 0; i < Seeds.of(ROUNDS, 2); i++) {
                importOrComplain(mutated(recording, random), seed + "/" + i);
            }
        }
    }

    private static List<byte[]> recordings() throws IOException {
        return List.of(
                XplaneImporterTest.resource("host.xplane.pb"),
                XplaneImporterTest.resource("host.trace.json.gz"),
                OnnxRuntimeImporterTest.PROFILE.getBytes(StandardCharsets.UTF_8),
                TrtexecImporterTest.TIMES.getBytes(StandardCharsets.UTF_8),
                TrtexecImporterTest.PROFILE.getBytes(StandardCharsets.UTF_8));
    }

    private void importOrComplain(byte[] content, String what) {
        Path file = TraceFile.of(folder, "fuzzed", content);
        try {
            Timeline timeline = Formats.importers().load(file);
            assertThat(timeline.rowCount()).as(what).isPositive();
            for (int row = 0; row < timeline.rowCount(); row++) {
                assertThat(timeline.durationNs(row)).as(what).isNotNegative();
            }
        } catch (ImportException refused) {
            assertThat(refused.getMessage()).as(what).contains("fuzzed: ").doesNotContain("\n");
        }
    }

    /** Bits are flipped, a part is doubled, removed, or the rest is cut off. */
    private static byte[] mutated(byte[] content, Random random) {
        byte[] result = content.clone();
        for (int i = random.nextInt(5); i >= 0; i--) {
            result[random.nextInt(result.length)] ^= (byte) (1 << random.nextInt(8));
        }
        int from = random.nextInt(result.length);
        int to = from + random.nextInt(Math.min(64, result.length - from));
        return switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(result, 1 + from);
            case 1 -> joined(result, to, from);
            case 2 -> joined(result, from, to);
            default -> result;
        };
    }

    /** Returns what precedes {@code end}, then everything from {@code start} on. */
    private static byte[] joined(byte[] content, int end, int start) {
        byte[] result = Arrays.copyOf(content, end + content.length - start);
        System.arraycopy(content, start, result, end, content.length - start);
        return result.length == 0 ? content : result;
    }
}
