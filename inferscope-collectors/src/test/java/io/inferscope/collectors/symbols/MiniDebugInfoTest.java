package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Stripped files that keep their functions compressed. */
class MiniDebugInfoTest {
    @TempDir
    Path folder;

    @Test
    void aSectionWithoutAnEndIsRefused() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (XZOutputStream out = new XZOutputStream(packed, new LZMA2Options(0))) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 33; i++) {
                out.write(zeros);
            }
        }
        assertThat(packed.size()).isLessThan(1 << 20);
        assertThatThrownBy(() -> MiniDebugInfo.inflate(ByteBuffer.wrap(packed.toByteArray())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("larger than");
    }

    /** A library stripped as distributions do it: GDB's manual, "Debugging information in a special section". */
    @Nested
    @Tag("native")
    @EnabledOnOs(OS.LINUX)
    class OfARealFile {
        private Path file = Path.of("");
        private long exported;
        private long hidden;

        @BeforeEach
        void make() throws Exception {
            for (String tool : new String[] {"cc", "objcopy", "strip", "xz"}) {
                assumeTrue(run("command -v " + tool) == 0, tool + " is not installed");
            }
            Files.writeString(folder.resolve("score.c"), """
                    static __attribute__((noinline)) int hidden(int x) { return x * x + 7; }
                    int exported(int x) { return hidden(x) + 1; }
                    """);
            assertThat(run("""
                            set -e
                            cc -O1 -shared -fPIC -o score.so score.c
                            cp score.so whole.so
                            echo hidden > keep
                            objcopy --only-keep-debug score.so score.debug
                            objcopy -S --keep-symbols=keep score.debug mini
                            xz -k mini
                            strip --strip-all score.so
                            objcopy --add-section .gnu_debugdata=mini.xz score.so
                            """)).isZero();
            file = folder.resolve("score.so");
            ElfFile whole = ElfFile.read(folder.resolve("whole.so"), Set.of("hidden", "exported"), ".none");
            exported = whole.symbol("exported");
            hidden = whole.symbol("hidden");
            assertThat(hidden).isNotZero();
        }

        @Test
        void functionsThatAreNotExportedAreNamed() throws Exception {
            SymbolTable functions = ElfFile.functions(file);
            assertThat(functions.name(file, functions.find(hidden))).isEqualTo("hidden");
            assertThat(functions.name(file, functions.find(exported))).isEqualTo("exported");
        }

        @Test
        void aDamagedSectionLeavesTheExportedFunctions() throws Exception {
            byte[] bytes = Files.readAllBytes(file);
            String letters = new String(bytes, StandardCharsets.ISO_8859_1);
            int packed = letters.indexOf("\u00fd7zXZ");
            assertThat(packed).isPositive();
            for (int at : new int[] {packed, packed + 8, packed + 40, packed + 100}) {
                byte[] damaged = bytes.clone();
                damaged[at] ^= 0x55;
                Path changed = Files.write(folder.resolve("damaged.so"), damaged);
                SymbolTable functions = ElfFile.functions(changed);
                assertThat(functions.name(changed, functions.find(exported))).isEqualTo("exported");
                assertThat(functions.find(hidden)).isNegative();
            }
        }

        private int run(String script) throws Exception {
            Process shell = new ProcessBuilder("sh", "-c", script)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            try (InputStream said = shell.getInputStream()) {
                String text = new String(said.readAllBytes(), StandardCharsets.UTF_8);
                int code = shell.waitFor();
                System.out.print(code == 0 ? "" : text);
                return code;
            }
        }
    }
}
