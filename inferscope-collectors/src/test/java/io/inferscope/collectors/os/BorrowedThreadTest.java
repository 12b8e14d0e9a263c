package io.inferscope.collectors.os;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.spool.CCompiler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code that a borrowed thread runs; {@code AttachGpuTest} has real threads run it. */
@Tag("native")
class BorrowedThreadTest {
    @TempDir
    Path folder;

    @Test
    void theCodeIsWhatItsListingSays() throws Exception {
        CCompiler.need(BorrowedThread.isSupported(), "the code is for x86-64");
        Path object = folder.resolve("code.o");
        Path bytes = folder.resolve("code.bin");
        String source = Path.of("../native/stubs/borrowed.s").toString();
        CCompiler.compile(List.of("-c", "-o", object.toString(), source));
        CCompiler.need(CCompiler.has("objcopy"), "no objcopy on the PATH");
        String[] extract = {"objcopy", "-O", "binary", "-j", ".text", object.toString(), bytes.toString()};
        assertThat(new ProcessBuilder(extract).inheritIO().start().waitFor()).isZero();
        assertThat(BorrowedThread.CODE).isEqualTo(HexFormat.of().formatHex(Files.readAllBytes(bytes)));
        assertThat(BorrowedThread.CODE_BYTES % 8).isZero();
        assertThat(BorrowedThread.CODE).endsWith("0".repeat(16));
    }
}
