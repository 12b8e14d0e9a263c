package io.inferscope.timeline.spool;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.scope.spool.SpoolFormat;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.importer.ImportException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recorded program is not trusted: each field of each record, of the block and of the file is set to what nobody expects. */
class HostileFieldsTest {
    private static final int FILE_HEADER = SpoolFormat.FILE_HEADER_BYTES;
    private static final int BLOCK_HEADER = SpoolFormat.BLOCK_HEADER_BYTES;

    /** 1 is the id of the first of each kind: a caller, a parent or an id that names itself. */
    private static final long[] VALUES = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE
    };

    /** A number that no count of values or fields divides, so that each value meets each kind of field. */
    private static final int EACH = Seeds.areAll() ? 1 : 41;

    @TempDir
    private Path folder;

    private final Map<Integer, Integer> records = new TreeMap<>();
    private byte[] spool = new byte[0];

    /** A spool with one record of each type that there is. */
    @BeforeEach
    void writeOneOfEach() throws ReflectiveOperationException {
        spool = SpoolFuzzTest.small(types());
        for (int at = FILE_HEADER; at < spool.length; ) {
            int type = number(at) & 0xffff;
            if (number(at) == SpoolFormat.BLOCK_MAGIC) {
                at += BLOCK_HEADER;
            } else if (type == 0) {
                at += 8;
            } else {
                records.put(type, at);
                at += number(at + SpoolFormat.RECORD_HEADER_LENGTH_BYTES);
            }
        }
        assertThat(records.keySet()).isEqualTo(types().keySet());
    }

    @Test
    void noValueOfAnyFieldBreaksTheImport() throws Exception {
        int tried = 0;
        List<int[]> parts = new ArrayList<>(List.of(new int[] {0, FILE_HEADER}, new int[] {FILE_HEADER, BLOCK_HEADER}));
        records.forEach((type, at) -> parts.add(new int[] {at, number(at + SpoolFormat.RECORD_HEADER_LENGTH_BYTES)}));
        for (int[] part : parts) {
            for (int field = 0; field + 2 <= part[1]; field += 2) {
                for (int bytes = 2; bytes <= 8 && field % bytes == 0 && field + bytes <= part[1]; bytes *= 2) {
                    for (long value : VALUES) {
                        if (tried++ % EACH == 0) {
                            importOrRefuse(with(part[0] + field, bytes, value));
                        }
                    }
                }
            }
        }
        assertThat(tried).isGreaterThan(5_000);
    }

    /** Whoever cuts a file while it is read gets what was read of it, or the refusal. */
    @Test
    void aFileThatIsCutWhileItIsReadIsRead() throws Exception {
        ByteArrayOutputStream large = new ByteArrayOutputStream();
        large.writeBytes(spool);
        while (large.size() < 3 * SpoolBytes.WINDOW_BYTES) {
            large.write(spool, FILE_HEADER, spool.length - FILE_HEADER);
        }
        Path file = Files.write(folder.resolve("cut.spool"), large.toByteArray());
        for (long size : new long[] {2L * SpoolBytes.WINDOW_BYTES, SpoolBytes.WINDOW_BYTES + 8, 1000, 0}) {
            try (SpoolReader reader = new SpoolReader(file, new UnusedSpace())) {
                AtomicBoolean cut = new AtomicBoolean();
                ImportStats.Builder stats = new ImportStats.Builder();
                int[] seen = {0};
                reader.forEach(
                        view -> {
                            seen[0]++;
                            if (cut.compareAndSet(false, true)) {
                                cut(file, size);
                            }
                        },
                        stats);
                assertThat(seen[0]).isPositive();
                assertThat(stats.build().entries()).as("the loss is counted").isNotEmpty();
            }
        }
    }

    private static void cut(Path file, long size) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] with(int at, int bytes, long value) {
        byte[] changed = spool.clone();
        ByteBuffer buffer = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
        switch (bytes) {
            case 2 -> buffer.putShort(at, (short) value);
            case 4 -> buffer.putInt(at, (int) value);
            default -> buffer.putLong(at, value);
        }
        return changed;
    }

    private void importOrRefuse(byte[] changed) throws IOException {
        Path file = Files.write(folder.resolve("changed.spool"), changed);
        try {
            Timeline timeline = CoreFormats.load(file);
            for (int row = 0; row < timeline.rowCount(); row++) {
                assertThat(timeline.durationNs(row)).isNotNegative();
            }
            for (int stack = 0; stack < timeline.stacks().count(); stack++) {
                assertThat(timeline.stacks().caller(stack)).isLessThan(stack);
            }
        } catch (ImportException declared) {
            assertThat(declared.getMessage()).contains("changed.spool").doesNotContain("\n");
        }
    }

    private int number(int at) {
        return ByteBuffer.wrap(spool).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
    }

    /** Returns the types of records with their least lengths: a constant with a length of its own, which no part of the format has. */
    private static Map<Integer, Integer> types() throws ReflectiveOperationException {
        Map<Integer, Integer> types = new TreeMap<>();
        for (Field field : SpoolFormat.class.getFields()) {
            boolean part =
                    List.of("FILE_HEADER", "BLOCK_HEADER", "RECORD_HEADER").contains(field.getName());
            if (field.getType() == int.class && !part && hasLength(field.getName())) {
                types.put(
                        field.getInt(null),
                        SpoolFormat.class.getField(field.getName() + "_BYTES").getInt(null));
            }
        }
        return types;
    }

    private static boolean hasLength(String name) {
        for (Field field : SpoolFormat.class.getFields()) {
            if (field.getName().equals(name + "_BYTES")) {
                return true;
            }
        }
        return false;
    }
}
