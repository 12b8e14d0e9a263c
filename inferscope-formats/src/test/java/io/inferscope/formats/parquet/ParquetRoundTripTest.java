package io.inferscope.formats.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.RandomTimelines;
import io.inferscope.timeline.fixture.SameTimeline;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("traces")
class ParquetRoundTripTest {
    @TempDir
    private Path folder;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    static LongStream seeds() {
        return Seeds.upTo(60);
    }

    @ParameterizedTest
    @MethodSource("traces")
    void realTracesComeBackUnchanged(Path trace) throws Exception {
        Timeline original = SharedTraces.timeline(trace);
        Timeline again = throughFolder(original);
        SameTimeline.assertSame(again, original);
        assertThat(again.importStats().entries()).isEmpty();
        assertThat(new ParquetExporter().leftOut(original)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomTimelinesComeBackUnchanged(long seed) throws Exception {
        Timeline original = RandomTimelines.of(seed, false);
        Timeline again = throughFolder(original);
        SameTimeline.assertSame(again, original);
        assertThat(again.importStats().count(Effect.DROPPED))
                .as(again.importStats().damage())
                .isZero();
    }

    @Test
    void whatAnotherRecordingCapturedComesBack() throws Exception {
        Timeline original = TimelineFixture.blank()
                .captured(RowKind.OPERATOR, "7", -900, -800, "aten::mm")
                .operator("7", 0, 10, "aten::relu")
                .build();

        SameTimeline.assertSame(throughFolder(original), original);
    }

    @Test
    void textsThatAreNoUnicodeAreSaid() {
        assertThat(new ParquetExporter().leftOut(RandomTimelines.of(1))).contains("texts that are not Unicode");
    }

    @Test
    void aDamagedTableIsCountedAndTheOthersAreUsed() throws Exception {
        Timeline original = RandomTimelines.of(1, false);
        new ParquetExporter().write(original, folder.resolve("x.parquet"));
        Path kernels = folder.resolve("x.parquet/kernel.parquet");
        Files.write(kernels, Arrays.copyOf(Files.readAllBytes(kernels), 300));
        Timeline again = Formats.importers().load(folder.resolve("x.parquet"));
        assertThat(again.rowCount()).isBetween(1, original.rowCount() - 1);
        assertThat(again.importStats().count(Reason.MALFORMED)).isEqualTo(1);
        assertThat(again.importStats().entries().toString()).contains("kernel.parquet: no Parquet footer at its end");
    }

    @Test
    void aFolderWithoutRowsIsRefusedInOneLine() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("e.parquet"));
        Files.writeString(empty.resolve("inferscope.json"), "{\"inferscope_parquet\": 1}");
        assertThatThrownBy(() -> Formats.importers().load(empty))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("no usable row in it; convert the trace again");
        Files.writeString(empty.resolve("inferscope.json"), "{\"inferscope_parquet\": 9}");
        assertThatThrownBy(() -> Formats.importers().load(empty)).hasMessageContaining("written by a later version");
    }

    @Test
    void onlyAFolderOfOursIsReplaced() throws Exception {
        ParquetExporter exporter = new ParquetExporter();
        Path foreign = Files.createDirectory(folder.resolve("f.parquet"));
        exporter.check(foreign);
        Files.writeString(foreign.resolve("precious"), "x");
        assertThatThrownBy(() -> exporter.check(foreign)).hasMessageContaining("f.parquet exists and is not a folder");
        Path ours = folder.resolve("x.parquet");
        exporter.write(RandomTimelines.of(1, false), ours);
        exporter.check(ours);
        exporter.write(RandomTimelines.of(2, false), ours);
        SameTimeline.assertSame(Formats.importers().load(ours), RandomTimelines.of(2, false));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".unfinished"));
        }
        Files.writeString(ours.resolve("precious"), "x");
        assertThatThrownBy(() -> exporter.check(ours)).hasMessageContaining("name another");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void mutatedFilesNeverBreakTheImporter(long seed) throws Exception {
        Path sample = folder.resolve("m.parquet");
        new ParquetExporter().write(RandomTimelines.of(seed, false), sample);
        List<Path> files;
        try (Stream<Path> found = Files.list(sample)) {
            files = found.sorted().toList();
        }
        Random random = new Random(seed);
        for (int i = 0; i < Seeds.of(400, 1); i++) {
            Path file = files.get(random.nextInt(files.size()));
            byte[] whole = Files.readAllBytes(file);
            byte[] mutated =
                    random.nextInt(5) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            for (int flips = random.nextInt(4); flips >= 0 && mutated.length > 0; flips--) {
                boolean atEnd = random.nextBoolean();
                int at = atEnd ? Math.max(0, mutated.length - 1 - random.nextInt(400)) : random.nextInt(mutated.length);
                mutated[at] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, mutated);
            try {
                assertThat(Formats.importers().load(sample).rowCount()).isPositive();
            } catch (ImportException refused) {
                assertThat(refused.getMessage()).contains("m.parquet: ").doesNotContain("\n");
            }
            Files.write(file, whole);
        }
    }

    private Timeline throughFolder(Timeline timeline) throws Exception {
        Path output = folder.resolve("copy.parquet");
        new ParquetExporter().write(timeline, output);
        return Formats.importers().load(output);
    }
}
