package io.inferscope.timeline.spool;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged spools give a timeline or the declared exception, in bounded time and memory. */
class SpoolFuzzTest {
    private static final int ROUNDS = Seeds.of(400, 4);

    /** Wide enough for any machine; a reader that hangs does not come back at all. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void mutatedSpoolsNeverHangAndThrowOnlyWhatIsDeclared(long seed) {
        Random random = new Random(seed);
        byte[] original = seed % 2 == 0 ? small() : large();
        Path file = folder.resolve("fuzzed");
        Assertions.assertTimeoutPreemptively(PATIENCE, () -> {
            for (int round = 0; round < ROUNDS; round++) {
                Files.write(file, mutated(original, random));
                importOrRefuse(file, original.length);
            }
        });
    }

    @Test
    void overlappingBlockHeadersCostNoMoreThanAFewPasses() throws IOException {
        ByteBuffer file = ByteBuffer.allocate(4 << 20).order(ByteOrder.LITTLE_ENDIAN);
        file.put(new SpoolFixture(1, "host").bytes());
        while (file.remaining() >= 32) {
            file.putInt(0x4b4c4253).putInt(file.remaining() - 40).putInt(file.remaining() - 40);
            file.putInt(1).putLong(0).putLong(1);
        }
        Path path = Files.write(folder.resolve("hostile"), file.array());
        Assertions.assertTimeoutPreemptively(PATIENCE, () -> importOrRefuse(path, 4 << 20));
    }

    private static void importOrRefuse(Path file, int size) {
        try {
            Timeline timeline = CoreFormats.load(file);
            assertThat(timeline.rowCount()).isLessThan(size);
            for (int row = 0; row < timeline.rowCount(); row++) {
                assertThat(timeline.endNs(row)).isGreaterThanOrEqualTo(timeline.startNs(row));
            }
        } catch (ImportException declared) {
            assertThat(declared).hasMessageContaining("fuzzed");
        }
    }

    private static byte[] mutated(byte[] original, Random random) {
        byte[] bytes = original.clone();
        int changes = 1 + random.nextInt(8);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt();
                case 2 ->
                    Arrays.fill(bytes, at, Math.min(bytes.length, at + random.nextInt(64)), (byte)
                            (random.nextBoolean() ? 0 : 255));
                case 3 ->
                    System.arraycopy(
                            bytes, random.nextInt(bytes.length - 64), bytes, Math.min(at, bytes.length - 64), 64);
                default -> bytes = Arrays.copyOf(bytes, Math.max(72, at));
            }
        }
        return bytes;
    }

    private static byte[] small() {
        return small(Map.of());
    }

    /** Returns a spool with records of many types, and before them one of each type with a length of {@code others}. */
    static byte[] small(Map<Integer, Integer> others) {
        SpoolFixture spool = new SpoolFixture(10, "python-probe");
        int name = spool.text("name");
        long t = SpoolFixture.OPENED_NS;
        others.forEach((type, bytes) -> spool.record(type, 0, SpoolFixture.buffer(bytes - 8)));
        spool.process(t, 10, 1, name, t + 100, 0)
                .span(t, t + 9, 10, name, 1, 1)
                .span(t + 1, 0, 10, name, 4, 0)
                .seal();
        spool.frame(1, name, name, 3).stack(1, 0, 1).sample(t, t + 9, 10, 10, 1, 1, 1, 0);
        spool.gives(t, 9, 1, 10, 10, 0, name)
                .takes(t, t + 5, 9, 1, 10, 10, 0, name)
                .note(name, name, 10);
        spool.request(t, t + 5, t + 1, 10, 10, name, 1);
        long device = SpoolFixture.UNIX_NS;
        spool.lane(1, 0, 1, 7).call(device + 1, device + 2, 5, 10, name).kernel(device + 3, device + 9, 5, 1, name);
        spool.record(
                33,
                0,
                SpoolFixture.buffer(56)
                        .putLong(device)
                        .putLong(device + 1)
                        .putInt(6)
                        .putInt(1));
        spool.record(
                36,
                0,
                SpoolFixture.buffer(40)
                        .putLong(device)
                        .putLong(device + 1)
                        .putInt(6)
                        .putInt(1));
        spool.record(
                39, 0, SpoolFixture.buffer(16).putInt(5).putInt(1).putInt(7).putInt(3));
        spool.record(
                40,
                1,
                SpoolFixture.buffer(24).putLong(device).putInt(1).putInt(10).putInt(name));
        spool.record(42, 0, SpoolFixture.buffer(40).putInt(1))
                .record(43, 0, SpoolFixture.buffer(24).putInt(0));
        spool.recorderTime(device, device + 4, 1, 10).heard(device + 2).reading(t + 200, device + 200, 77, 20);
        return spool.threadState(t, t + 9, 3, 3, 10, 10, 1)
                .span(t + 20, t + 30, 11, name, 10, 0)
                .open(128)
                .bytes();
    }

    private static byte[] large() {
        SpoolFixture spool = new SpoolFixture(0, "host");
        long t = SpoolFixture.OPENED_NS;
        for (int block = 0; block < 8; block++) {
            for (int i = 0; i < 40; i++) {
                int name = spool.text("name " + i);
                spool.span(t + i, t + i + 50, i, name, i % 12, i & 1);
                spool.threadState(t + i * 100L, t + i * 100L + 100, i, i, i, 5, i % 11);
                spool.frame(i + 1, name, name, i).stack(i + 1, i, i + 1);
                spool.sample(t + i, t + i + 10, i, 5, i + 1, i, i % 4, 7);
                spool.gives(t + i, i % 5, i % 3, i, 5, i % 7, name);
                spool.takes(t + i, t + i + 5, i % 5, i % 3, i + 1, 5, i % 7, name);
                spool.request(t + i, i % 4 == 0 ? 0 : t + i + 50, t + i + 5, i, 5, name, i)
                        .note(name, name, i % 3);
            }
            spool = block % 3 == 2 ? spool.open(256) : spool.seal();
        }
        return spool.outside(new byte[512]).bytes();
    }
}
