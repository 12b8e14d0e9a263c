package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
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

    /** As lld lays files out: the page with the end of the constants and the begin of the code is mapped twice. */
    @Test
    void codeIsFoundByItsOwnSegmentWhereAPageIsMappedTwice() throws Exception {
        ByteBuffer elf = ByteBuffer.allocate(0x3000).order(ByteOrder.LITTLE_ENDIAN);
        elf.putInt(0, 0x464c_457f).put(4, (byte) 2).put(5, (byte) 1);
        elf.putLong(32, HEADER).putShort(54, (short) 56).putShort(56, (short) 2);
        elf.putLong(40, 0x2000).putShort(58, (short) SECTION).putShort(60, (short) 3);
        segment(elf, HEADER, 4, 0, 0, 0x1c00); // read
        segment(elf, HEADER + 56, 5, 0x1c40, 0x2c40, 0x200); // read, execute
        section(elf, 0x2040, 2, 0x2100, 24, 2); // symbols, with names in section 2
        section(elf, 0x2080, 3, 0x2200, 16, 0);
        elf.putInt(0x2100, 1).put(0x2104, (byte) 2).putShort(0x2106, (short) 1);
        elf.putLong(0x2108, 0x2c80).putLong(0x2110, 0x40);
        elf.put(0x2201, "score".getBytes(StandardCharsets.US_ASCII));
        Path file = Files.write(folder.resolve("score"), elf.array());

        SymbolTable functions = ElfFile.functions(file);

        long mappedAt = 0x5555_0000_2000L;
        long linked = functions.linkedAt(mappedAt + 0xc90, mappedAt, 0x1000);
        assertThat(linked).isEqualTo(0x2c90);
        assertThat(functions.name(file, functions.find(linked))).isEqualTo("score");
    }

    private static void segment(ByteBuffer elf, int at, int flags, long offset, long address, long bytes) {
        elf.putInt(at, 1).putInt(at + 4, flags).putLong(at + 8, offset).putLong(at + 16, address);
        elf.putLong(at + 32, bytes).putLong(at + 40, bytes);
    }

    private static void section(ByteBuffer elf, int at, int type, long offset, long bytes, int link) {
        elf.putInt(at + 4, type)
                .putLong(at + 24, offset)
                .putLong(at + 32, bytes)
                .putInt(at + 40, link);
    }

    @Test
    void aFunctionIsFoundFromAnyPageThatItReachesInto() {
        SymbolTable.Builder made = new SymbolTable.Builder();
        made.begin(4, 0, 0, null);
        made.add(3, 0x9000, 0x10);
        made.add(1, 0x1010, 0x7000);
        made.add(0, 0x1000, 0x10);
        made.add(2, 0x8f00, 0); // In assembler: without a size.
        SymbolTable functions = made.build(List.of());

        int large = functions.find(0x1010);
        assertThat(functions.find(0x1004)).isNotEqualTo(large).isNotNegative();
        assertThat(functions.find(0x7fff)).isEqualTo(large);
        assertThat(functions.find(0x800f)).isEqualTo(large);
        assertThat(functions.find(0x8010)).isEqualTo(-1);
        assertThat(functions.find(0x8fff)).isNotNegative().isNotEqualTo(functions.find(0x9000));
        assertThat(functions.find(0x900f)).isEqualTo(functions.find(0x9000)).isNotNegative();
        assertThat(functions.find(0x9010)).isEqualTo(-1);
        assertThat(functions.find(0xfff)).isEqualTo(-1);
        assertThat(functions.find(1L << 50)).isEqualTo(-1);
    }

    @Test
    void aFunctionFarFromAllOthersIsFound() {
        SymbolTable.Builder made = new SymbolTable.Builder();
        made.begin(2, 0, 0, null);
        made.add(0, 0x1000, 0x10);
        made.add(1, 1L << 38, 0x10);
        SymbolTable functions = made.build(List.of());

        assertThat(functions.find(0x1008)).isNotNegative().isNotEqualTo(functions.find((1L << 38) + 8));
        assertThat(functions.find((1L << 38) + 8)).isNotNegative();
        assertThat(new SymbolTable.Builder().build(List.of()).find(0x1000)).isEqualTo(-1);
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
