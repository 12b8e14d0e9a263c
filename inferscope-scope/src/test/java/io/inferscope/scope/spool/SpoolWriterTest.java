package io.inferscope.scope.spool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolWriterTest {
    private static final SpoolRecord.Span SPAN =
            new SpoolRecord.Span(1_000, 2_000, 7, "tokenize", 1, 2, "infer.py:31", 42, "{\"a\":1}", 0, true);

    @TempDir
    Path folder;

    @Test
    void headerAndBlockAreLaidOutAsTheFormatSays() throws IOException {
        try (SpoolWriter writer = SpoolWriter.open(folder, "scope-java", 77, 1 << 20)) {
            writer.write(SPAN);
        }
        byte[] bytes = onlyFile();
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(text(bytes, 0, 8)).isEqualTo("ISPOOL1\n");
        assertThat(file.getShort(8)).isEqualTo((short) 1);
        assertThat(file.getInt(12)).isEqualTo(64);
        assertThat(file.getInt(16)).isEqualTo(77);
        assertThat(file.getInt(20)).as("closed cleanly").isEqualTo(1);
        assertThat(file.getLong(40)).as("dropped").isZero();
        assertThat(text(bytes, 48, 10)).isEqualTo("scope-java");
        assertThat(text(bytes, 64, 4)).isEqualTo("SBLK");
        int used = file.getInt(72);
        assertThat(file.getInt(68)).as("capacity").isEqualTo(used);
        assertThat(file.getLong(80)).as("sequence").isZero();
        assertThat(file.getLong(88)).as("sealed").isEqualTo(1);
        CRC32 crc = new CRC32();
        crc.update(bytes, 96, used);
        assertThat(file.getInt(76)).isEqualTo((int) crc.getValue());
        assertThat(file.capacity()).isEqualTo(96 + used);
    }

    @Test
    void spanIsFiftySixBytesAndNamesItsTexts() throws IOException {
        try (SpoolWriter writer = SpoolWriter.open(folder, "scope-java", 77, 1 << 20)) {
            writer.write(SPAN);
        }
        byte[] bytes = onlyFile();
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = file.capacity() - 56;
        assertThat(file.getShort(at)).isEqualTo((short) 5);
        assertThat(file.getShort(at + 2)).as("opened by the user").isEqualTo((short) 1);
        assertThat(file.getInt(at + 4)).isEqualTo(56);
        assertThat(file.getLong(at + 8)).isEqualTo(1_000);
        assertThat(file.getLong(at + 16)).isEqualTo(2_000);
        assertThat(file.getInt(at + 24)).isEqualTo(7);
        assertThat(file.getShort(at + 32)).isEqualTo((short) 1);
        assertThat(file.getShort(at + 34)).isEqualTo((short) 2);
        assertThat(file.getLong(at + 40)).isEqualTo(42);
        assertThat(new String(bytes, StandardCharsets.UTF_8)).contains("tokenize", "infer.py:31", "{\"a\":1}");
    }

    @Test
    void recordsOfVersionOneOneAreLaidOutAsTheFormatSays() throws IOException {
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 20)) {
            writer.write(new SpoolRecord.Frame(3, "f", "a.py", 31, 2));
            writer.write(new SpoolRecord.Stack(4, 2, 3));
            writer.write(new SpoolRecord.StackSample(100, 200, 7, 70, 4, 5, 2, 8, 150, 90, 5, 12));
            writer.write(new SpoolRecord.Note("rank", "0", 70));
            writer.write(new SpoolRecord.ThreadState(1, 2, 3, 4, 7, 70, 10, 0, 0, 0, 0, "futex", 0xabcdL, 8));
        }
        ByteBuffer file = ByteBuffer.wrap(onlyFile()).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(file.getShort(10)).as("minor version").isEqualTo((short) 1);
        ByteBuffer frame = record(file, 11, 32);
        assertThat(frame.getInt(8)).isEqualTo(3);
        assertThat(frame.getInt(20)).isEqualTo(31);
        assertThat(frame.getShort(24)).isEqualTo((short) 2);
        ByteBuffer stack = record(file, 12, 24);
        assertThat(new int[] {stack.getInt(8), stack.getInt(12), stack.getInt(16)})
                .containsExactly(4, 2, 3);
        ByteBuffer sample = record(file, 13, 72);
        assertThat(sample.getLong(16)).isEqualTo(200);
        assertThat(new int[] {sample.getInt(24), sample.getInt(28), sample.getInt(32), sample.getInt(36)})
                .containsExactly(7, 70, 4, 5);
        assertThat(sample.getShort(40)).isEqualTo((short) 2);
        assertThat(sample.getInt(44)).isEqualTo(8);
        assertThat(new long[] {sample.getLong(48), sample.getLong(56)}).containsExactly(150, 90);
        assertThat(new short[] {sample.getShort(64), sample.getShort(66)}).containsExactly(5, 12);
        assertThat(record(file, 16, 24).getInt(16)).isEqualTo(70);
        ByteBuffer state = record(file, 7, 88);
        assertThat(state.getLong(72)).isEqualTo(0xabcd);
        assertThat(state.getInt(80)).isEqualTo(8);
    }

    /** Returns the only record of a type, from its first byte, which has the length that the format gives it. */
    private static ByteBuffer record(ByteBuffer file, int type, int length) {
        for (int at = 96; at < file.capacity(); at += file.getInt(at + 4)) {
            if (file.getShort(at) == type) {
                assertThat(file.getInt(at + 4)).as("length of type " + type).isEqualTo(length);
                return file.slice(at, length).order(ByteOrder.LITTLE_ENDIAN);
            }
        }
        throw new AssertionError("no record of type " + type);
    }

    @Test
    void onlyTheOwnerCanReadASpool() throws IOException {
        SpoolWriter.open(folder, "scope-java", 1, 1 << 20).close();
        try (var files = Files.list(folder)) {
            assertThat(Files.getPosixFilePermissions(files.findFirst().orElseThrow()))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void equalTextIsStoredOnce() throws IOException {
        try (SpoolWriter writer = SpoolWriter.open(folder, "scope-java", 1, 1 << 20)) {
            writer.write(SPAN);
            writer.write(SPAN);
        }
        String content = new String(onlyFile(), StandardCharsets.ISO_8859_1);
        assertThat(content.split("tokenize", -1)).hasSize(2);
    }

    @Test
    void whatWasFlushedSurvivesWithoutClose() throws IOException {
        SpoolWriter writer = SpoolWriter.open(folder, "scope-java", 1, 1 << 20);
        writer.write(SPAN);
        writer.flush();
        byte[] bytes = onlyFile();
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("tokenize");
        assertThat(file.getInt(20)).as("not closed cleanly").isZero();
        writer.close();
    }

    @Test
    void aboveTheCapRecordsAreDroppedAndCountedInTheHeader() throws IOException {
        SpoolWriter writer = SpoolWriter.open(folder, "scope-java", 1, 1_000);
        for (int i = 0; i < 100; i++) {
            writer.write(SPAN);
            writer.flush();
        }
        long dropped = writer.dropped();
        writer.close();
        byte[] bytes = onlyFile();
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(file.capacity()).isLessThanOrEqualTo(1_000);
        assertThat(dropped).isPositive();
        assertThat(file.getLong(40)).isEqualTo(dropped);
        assertThat(writer.written() + dropped).isEqualTo(101); // The spans and the first clock anchor.
    }

    @Test
    void fullDiskStopsRecordingAndNeverThrows() throws IOException {
        FullDisk disk = new FullDisk(400);
        SpoolWriter writer = SpoolWriter.open(disk, "scope-java", 1, 1 << 20);
        writer.flush();
        for (int i = 0; i < 50; i++) {
            writer.write(SPAN);
            writer.flush();
        }
        assertThat(writer.dropped()).isBetween(40L, 50L);
        assertThat(disk.refusals).as("a full disk is asked once").isEqualTo(1);
        assertThat(disk.content[20]).as("disk full").isEqualTo((byte) 2);
        assertThat(ByteBuffer.wrap(disk.content).order(ByteOrder.LITTLE_ENDIAN).getLong(40))
                .isEqualTo(writer.dropped());
        writer.close();
        assertThat(disk.content[20]).as("disk full, closed cleanly").isEqualTo((byte) 3);
        assertThat(disk.closed).isTrue();
    }

    @Test
    void interruptedThreadGoesOnRecording() throws Exception {
        SpoolWriter writer = SpoolWriter.open(folder, "scope-java", 1, 1 << 20);
        Thread interrupted = new Thread(() -> {
            Thread.currentThread().interrupt();
            writer.write(SPAN);
            writer.flush();
        });
        interrupted.start();
        interrupted.join();
        writer.write(new SpoolRecord.Mark(5, 1, "after", "", 0));
        writer.close();
        assertThat(writer.dropped()).isZero();
        assertThat(new String(onlyFile(), StandardCharsets.ISO_8859_1)).contains("tokenize", "after");
    }

    @Test
    void overlongTextIsCutBetweenCharacters() throws IOException {
        String name = "ä".repeat(StoredTexts.MAX_BYTES);
        try (SpoolWriter writer = SpoolWriter.open(folder, "scope-java", 1, 1 << 20)) {
            writer.write(new SpoolRecord.Mark(5, 1, "x" + name, "", 0));
        }
        String content = new String(onlyFile(), StandardCharsets.UTF_8);
        assertThat(content).contains("x" + "ä".repeat((StoredTexts.MAX_BYTES - 1) / 2));
        assertThat(content).doesNotContain("x" + name);
    }

    @Test
    void recordsAfterCloseAreDropped() throws IOException {
        SpoolWriter writer = SpoolWriter.open(folder, "scope-java", 1, 1 << 20);
        writer.close();
        writer.write(SPAN);
        assertThat(writer.dropped()).isEqualTo(1);
    }

    private byte[] onlyFile() throws IOException {
        try (var files = Files.list(folder)) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return Files.readAllBytes(all.get(0));
        }
    }

    private static String text(byte[] file, int at, int length) {
        return new String(file, at, length, StandardCharsets.US_ASCII);
    }

    /** A disk with room for some bytes only; what is allocated can be overwritten. */
    private static final class FullDisk implements SpoolFile {
        private final byte[] content;
        private int size;
        private int refusals;
        private boolean closed;

        FullDisk(int capacity) {
            content = new byte[capacity];
        }

        @Override
        public void write(long offset, byte[] bytes, int length) throws IOException {
            if (offset + length > content.length) {
                refusals++;
                throw new DiskFull(new IOException("No space left on device"));
            }
            System.arraycopy(Arrays.copyOf(bytes, length), 0, content, (int) offset, length);
            size = Math.max(size, (int) offset + length);
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
