package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files that an observed program mapped, and may have made for us. */
class ElfFileTest {
    private static final int HEADER = 64;
    private static final int SECTION = 64;
    private static final int SECTIONS = 60_000;
    private static final int TEXT_BYTES = 16 << 20;

    @TempDir
    Path folder;

    /** Every section has the same name of 16 MiB: to copy it for each of them takes a terabyte of copying. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aNameWithoutAnEndIsNotCopiedForEachSection() throws Exception {
        Path file = folder.resolve("hostile.so");
        ByteBuffer head = ByteBuffer.allocate(HEADER + SECTIONS * SECTION).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(0, 0x464c_457f).put(4, (byte) 2).put(5, (byte) 1);
        head.putLong(40, HEADER).putShort(58, (short) SECTION).putShort(60, (short) SECTIONS);
        head.putLong(HEADER + 24, HEADER + (long) SECTIONS * SECTION).putLong(HEADER + 32, TEXT_BYTES);
        byte[] text = new byte[TEXT_BYTES];
        Arrays.fill(text, (byte) 'x');
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.write(head.array());
            out.write(text);
        }
        ElfFile elf = ElfFile.read(file, Set.of("_PyRuntime"), ".PyRuntime");
        assertThat(elf.symbol("_PyRuntime")).isZero();
    }

    @Test
    void aFileThatIsCutOrLiesAboutItsTablesIsRefused() throws Exception {
        byte[] whole = Files.readAllBytes(Path.of(System.getProperty("java.home"), "lib", "libjimage.so"));
        assertThat(ElfFile.functions(Files.write(folder.resolve("whole"), whole)))
                .isNotNull();
        for (int field : new int[] {32, 40, 54, 56, 58, 60, 62}) {
            byte[] lies = whole.clone();
            lies[field] = (byte) 0xff;
            lies[field + 1] = (byte) 0xff;
            Path file = Files.write(folder.resolve("lies"), lies);
            try {
                ElfFile.functions(file);
            } catch (IOException asDeclared) {
                assertThat(asDeclared.getMessage()).doesNotContain("\n");
            }
        }
        Path cut = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, whole.length / 2));
        assertThatThrownBy(() -> ElfFile.functions(cut)).isInstanceOf(IOException.class);
    }
}
