package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.RandomTimelines;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a timeline holds, an analysis comes to its end, which a ledger that does not sum would not let it: converted and damaged traces can hold anything. */
@Tag("traces")
class OddTimelinesTest {
    private static final int DAMAGES = 6;
    private static final int HITS = 4;
    private static final int LARGEST_BYTES = 1_000_000;

    @TempDir
    private Path folder;

    static LongStream seeds() {
        return Seeds.upTo(100);
    }

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anyTimelineIsExplained(long seed) {
        assertExplained(RandomTimelines.of(seed));
    }

    /** The end of real traces is cut off, and more and more bytes are overwritten. */
    @ParameterizedTest
    @MethodSource("traces")
    void aDamagedTraceIsExplainedAsFarAsItGoes(Path trace) throws Exception {
        byte[] whole = head(trace);
        Random random = new Random(trace.getFileName().toString().hashCode());
        int read = 0;
        for (int i = 0; i < DAMAGES; i++) {
            byte[] damaged = Arrays.copyOf(whole, whole.length * 3 / 4 + random.nextInt(whole.length / 4));
            for (int hit = 0; hit < i * HITS; hit++) {
                damaged[random.nextInt(damaged.length)] = (byte) (32 + random.nextInt(95));
            }
            read += isExplained(Files.write(folder.resolve(i + ".json"), damaged)) ? 1 : 0;
        }
        assertThat(read).as("damaged copies that could still be read").isPositive();
    }

    /** A file that is refused by its one exception is answered too. */
    private static boolean isExplained(Path file) {
        try {
            assertExplained(CoreFormats.load(file));
            return true;
        } catch (ImportException e) {
            return false;
        }
    }

    private static void assertExplained(Timeline timeline) {
        Report report = new Analyzer().analyze(timeline, "odd");

        assertThat(report.rollup().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(report.window().durationNs());
    }

    private static byte[] head(Path trace) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(trace))) {
            return in.readNBytes(LARGEST_BYTES);
        }
    }
}
