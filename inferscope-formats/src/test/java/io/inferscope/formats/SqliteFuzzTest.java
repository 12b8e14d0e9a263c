package io.inferscope.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.nsys.NsysFixture;
import io.inferscope.formats.rocm.RocpdFixture;
import io.inferscope.formats.sqlite.SqliteFixture;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged databases: the importer ends, and its only complaint is an ImportException of one line. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SqliteFuzzTest {
    private static final int PAGE_BYTES = 4096;
    private static final int ROUNDS = Seeds.of(40);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aDamagedExportIsReadAsFarAsItGoesOrRefused(long seed) throws IOException {
        mutate(SqliteFixture.write(folder.resolve("whole.sqlite"), NsysFixture.EXPORT), seed);
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5, 6})
    void aDamagedRecordingIsReadAsFarAsItGoesOrRefused(long seed) throws IOException {
        String script = seed % 2 == 0 ? RocpdFixture.INLINE : RocpdFixture.TRACKS;
        mutate(SqliteFixture.write(folder.resolve("whole.sqlite"), script), seed);
    }

    private void mutate(Path whole, long seed) throws IOException {
        byte[] content = Files.readAllBytes(whole);
        Random random = new Random(seed);
        int used = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Path file = folder.resolve("fuzzed.sqlite");
            Files.write(file, mutated(content, random));
            try {
                Timeline timeline = Formats.importers().load(file);
                assertThat(timeline.rowCount()).as("%s/%s", seed, i).isPositive();
                used++;
            } catch (ImportException refused) {
                assertThat(refused.getMessage())
                        .as("%s/%s", seed, i)
                        .contains("fuzzed.sqlite: ")
                        .doesNotContain("\n");
            }
        }
        assertThat(used).as("databases of which something was used").isGreaterThan(ROUNDS / 3);
    }

    private static byte[] mutated(byte[] content, Random random) {
        byte[] result = content.clone();
        int pages = content.length / PAGE_BYTES;
        switch (random.nextInt(4)) {
            case 0 -> result = Arrays.copyOf(result, 100 + random.nextInt(content.length - 100));
            case 1 -> {
                byte[] noise = new byte[PAGE_BYTES];
                random.nextBytes(noise);
                System.arraycopy(noise, 0, result, PAGE_BYTES * random.nextInt(pages), PAGE_BYTES);
            }
            case 2 ->
                System.arraycopy(
                        content,
                        PAGE_BYTES * random.nextInt(pages),
                        result,
                        PAGE_BYTES * (1 + random.nextInt(pages - 1)),
                        PAGE_BYTES);
            default -> {
                for (int flips = 1 + random.nextInt(30); flips > 0; flips--) {
                    result[random.nextInt(result.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
        }
        return result;
    }
}
