package io.inferscope.collectors.os;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.Until;
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
class RemoteLibraryCallTest {
    @TempDir
    Path folder;

    @Test
    void theCodeIsWhatItsListingSays() throws Exception {
        CCompiler.need(RemoteLibraryCall.isSupported(), "the code is for x86-64");
        Path object = folder.resolve("code.o");
        Path bytes = folder.resolve("code.bin");
        String source = Path.of("../native/stubs/borrowed.s").toString();
        CCompiler.compile(List.of("-c", "-o", object.toString(), source));
        CCompiler.need(CCompiler.has("objcopy"), "no objcopy on the PATH");
        String[] extract = {"objcopy", "-O", "binary", "-j", ".text", object.toString(), bytes.toString()};
        assertThat(new ProcessBuilder(extract).inheritIO().start().waitFor()).isZero();
        assertThat(RemoteLibraryCall.CODE).isEqualTo(HexFormat.of().formatHex(Files.readAllBytes(bytes)));
        assertThat(RemoteLibraryCall.CODE_BYTES % 8).isZero();
        assertThat(RemoteLibraryCall.CODE).endsWith("0".repeat(32));
    }

    @Test
    void onlyAThreadsOwnStackHasRoom() {
        List<String> maps = List.of(
                "7f0000000000-7f0000800000 rw-p 00000000 00:00 0 ",
                "7f0000800000-7f0000801000 ---p 00000000 00:00 0 ",
                "c000000000-c000400000 rw-p 00000000 00:00 0 ",
                "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]");
        long fs = 0x7f00007ff6c0L;
        assertThat(RemoteLibraryCall.hasRoom(maps, 0x7f00007fe000L, fs)).isTrue();
        assertThat(RemoteLibraryCall.hasRoom(maps, 0x7f0000020000L, fs)).isFalse();
        assertThat(RemoteLibraryCall.hasRoom(maps, 0x7f00007ff800L, fs)).isFalse(); // Above its own stack.
        assertThat(RemoteLibraryCall.hasRoom(maps, 0xc000300000L, fs)).isFalse(); // A coroutine's.
        assertThat(RemoteLibraryCall.hasRoom(maps, 0xc000300000L, 0)).isTrue();
        assertThat(RemoteLibraryCall.hasRoom(maps, 0xc000001000L, 0)).isFalse();
        assertThat(RemoteLibraryCall.hasRoom(maps, 0x7ffc00001000L, fs)).isTrue();
        assertThat(RemoteLibraryCall.hasRoom(maps, 0x1000L, fs)).isFalse();
    }

    @Test
    @Tag("process")
    void aThreadIsRefusedAndGoesOn() throws Exception {
        CCompiler.need(RemoteLibraryCall.isSupported(), "the code is for x86-64");
        check(RemoteLibraryCall.TAKEN, "", "sleep 100");
        check(RemoteLibraryCall.TAKEN, "USR1", "env --block-signal=USR1 sleep 100"); // Blocked, it is not delivered.
    }

    /** Where code is to be written there is some already. The process is a grandchild: Java waits for its children itself, and would take the stop. */
    private static void check(String why, String signal, String command) throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", command + " <&- >&- & echo $!; wait").start();
        int pid = Integer.parseInt(shell.inputReader().readLine());
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        try {
            Until.holds(() -> isSleep(pid) && RemoteLibraryCall.waiting(pid).contains(pid));
            if (!signal.isEmpty()) {
                new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid)
                        .start()
                        .waitFor();
            }
            String code = Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream()
                    .filter(line -> line.contains(" r-xp ") && line.contains("libc"))
                    .findFirst()
                    .orElseThrow();
            long text = Long.parseUnsignedLong(code.substring(0, code.indexOf('-')), 16);
            RemoteLibraryCall.Loading loading =
                    new RemoteLibraryCall.Loading(0, 0, text, Path.of("/none"), "none", Path.of("/"), 0);
            assertThat(RemoteLibraryCall.call(pid, loading)).isEqualTo(why);
            assertThat(process.isAlive()).isTrue();
        } finally {
            process.destroyForcibly();
            shell.waitFor();
        }
    }

    private static boolean isSleep(int pid) throws Exception {
        return Files.readString(Path.of("/proc/" + pid + "/comm")).equals("sleep\n");
    }
}
