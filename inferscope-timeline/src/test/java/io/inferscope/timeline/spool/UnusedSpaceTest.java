package io.inferscope.timeline.spool;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.scope.spool.SpoolFormat;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Zeros of sparse files: they take no space on a disk, but time to read. */
class UnusedSpaceTest {
    private static final Path GOLDEN = Path.of("../python/tests/golden/spool-v1.spool");
    private static final long HOLE = 8 << 20;

    @TempDir
    Path folder;

    /** Spools with a hole in each place that can have one, and a block after it. */
    private Map<String, Path> holes() throws Exception {
        byte[] golden = Files.readAllBytes(GOLDEN);
        Map<String, Path> files = new LinkedHashMap<>();
        for (String place : new String[] {"between blocks", "in an open block", "in a sealed block"}) {
            Path file = Files.write(folder.resolve(place + ".spool"), golden);
            try (RandomAccessFile all = new RandomAccessFile(file.toFile(), "rw")) {
                all.seek(golden.length);
                if (!place.equals("between blocks")) {
                    ByteBuffer header =
                            ByteBuffer.allocate(SpoolFormat.BLOCK_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                    header.putInt(SpoolFormat.BLOCK_HEADER_MAGIC, SpoolFormat.BLOCK_MAGIC)
                            .putInt(SpoolFormat.BLOCK_HEADER_CAPACITY_BYTES, (int) HOLE)
                            .putInt(SpoolFormat.BLOCK_HEADER_USED_BYTES, (int) HOLE)
                            .putLong(
                                    SpoolFormat.BLOCK_HEADER_FLAGS,
                                    place.contains("sealed") ? SpoolFormat.BLOCK_HEADER_FLAG_SEALED : 0);
                    all.write(header.array());
                }
                all.seek(all.getFilePointer() + HOLE);
                all.write(golden, SpoolFormat.FILE_HEADER_BYTES, golden.length - SpoolFormat.FILE_HEADER_BYTES);
            }
            files.put(place, file);
        }
        return files;
    }

    private static int records(Path file, UnusedSpace unused, ImportStats.Builder stats) throws Exception {
        int[] seen = {0};
        try (SpoolReader reader = new SpoolReader(file, unused)) {
            reader.forEach(view -> seen[0]++, stats);
        }
        return seen[0];
    }

    @Test
    void aHoleThatARecorderMayLeaveIsPassedOver() throws Exception {
        int once = records(GOLDEN, new UnusedSpace(), new ImportStats.Builder());
        for (Map.Entry<String, Path> hole : holes().entrySet()) {
            ImportStats.Builder stats = new ImportStats.Builder();

            assertThat(records(hole.getValue(), new UnusedSpace(), stats))
                    .as(hole.getKey())
                    .isEqualTo(2 * once);
            assertThat(stats.build().count(Reason.TRUNCATED)).as(hole.getKey()).isZero();
        }
    }

    @Test
    void theHolesOfAllFilesOfAFolderHaveALimitTogether() throws Exception {
        int once = records(GOLDEN, new UnusedSpace(), new ImportStats.Builder());
        for (Map.Entry<String, Path> hole : holes().entrySet()) {
            UnusedSpace unused = new UnusedSpace(2 * HOLE, 3 * HOLE);
            int read = 0;
            int truncated = 0;
            for (int i = 0; i < 20; i++) {
                ImportStats.Builder stats = new ImportStats.Builder();
                read += records(hole.getValue(), unused, stats) / once;
                truncated += (int) stats.build().count(Reason.TRUNCATED);
            }

            assertThat(truncated).as(hole.getKey()).isBetween(17, 19);
            assertThat(read)
                    .as(hole.getKey() + ": what precedes a hole is read")
                    .isEqualTo(20 + 20 - truncated);
        }
    }

    /** A file that a killed recorder allocated: most of it is unused, and nothing is lost. */
    @Test
    void zerosAtTheEndAreCountedOnce() throws Exception {
        Path file = Files.copy(GOLDEN, folder.resolve("killed.spool"));
        try (RandomAccessFile all = new RandomAccessFile(file.toFile(), "rw")) {
            all.setLength(HOLE);
        }
        ImportStats.Builder stats = new ImportStats.Builder();

        records(file, new UnusedSpace(HOLE, HOLE), stats);

        assertThat(stats.build().entries()).isEmpty();
    }
}
