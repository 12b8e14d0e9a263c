package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildIdTest {
    private static final int HEADER = 64;

    @TempDir
    private Path folder;

    /** Behind another note whose content needs padding, as in files of distributions. */
    @Test
    void theBuildIdIsFoundAmongTheNotes() throws Exception {
        ByteBuffer elf = ByteBuffer.allocate(0x200).order(ByteOrder.LITTLE_ENDIAN);
        elf.putInt(0, 0x464c_457f).put(4, (byte) 2).put(5, (byte) 1);
        elf.putLong(32, HEADER).putShort(54, (short) 56).putShort(56, (short) 1);
        elf.putInt(HEADER, 4)
                .putLong(HEADER + 8, 0x100)
                .putLong(HEADER + 32, 0x40)
                .putLong(HEADER + 48, 4);
        elf.putInt(0x100, 4).putInt(0x104, 5).putInt(0x108, 1).put(0x10c, "GNU".getBytes(StandardCharsets.US_ASCII));
        elf.putInt(0x118, 4).putInt(0x11c, 3).putInt(0x120, 3).put(0x124, "GNU".getBytes(StandardCharsets.US_ASCII));
        elf.put(0x128, new byte[] {(byte) 0xa1, 0, 7});
        Path file = folder.resolve("noted.so");

        assertThat(BuildId.of(Files.write(file, elf.array()))).isEqualTo("a10007");

        elf.putInt(0x120, 4);
        assertThat(BuildId.of(Files.write(file, elf.array()))).isEmpty();
        for (int field : new int[] {0x104, 0x100}) { // Lengths of a note that reach beyond the file.
            elf.putInt(field, -1);
            assertThat(BuildId.of(Files.write(file, elf.array()))).isEmpty();
        }
        elf.putLong(HEADER + 8, 0x1f0);
        Path beyond = Files.write(file, elf.array());
        assertThatThrownBy(() -> BuildId.of(beyond)).isInstanceOf(IOException.class);
    }

    @Test
    void aFileThatIsNoElfFileHasNone() throws Exception {
        assertThat(BuildId.of(Files.writeString(folder.resolve("script"), "#!/bin/sh\n".repeat(20))))
                .isEmpty();
    }
}
