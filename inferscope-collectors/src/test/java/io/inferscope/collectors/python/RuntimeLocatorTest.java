package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.symbols.MappedFile;
import io.inferscope.timeline.fixture.Until;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is found in running processes; PyPy is played by files of its names. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class RuntimeLocatorTest {
    @TempDir
    Path folder;

    private final RuntimeLocator locator = new RuntimeLocator(new RemoteReader(new LinuxMemory()));

    @Test
    void pyPyIsRefusedInWordsByItsExecutable() throws Exception {
        checkRefused("cp \"$(command -v sleep)\" pypy3.10; exec ./pypy3.10 100", "pypy3.10");
    }

    /** Whatever program embeds it. */
    @Test
    void pyPyIsRefusedInWordsByItsLibrary() throws Exception {
        Path library = MappedFile.of((int) ProcessHandle.current().pid()).stream()
                .filter(file -> file.base().startsWith("libc.so") || file.base().startsWith("libc-2."))
                .map(file -> Path.of(file.path()))
                .findFirst()
                .orElseThrow();
        Files.copy(library, folder.resolve("libpypy3.10-c.so"));
        checkRefused("LD_PRELOAD=./libpypy3.10-c.so exec sleep 100", "libpypy3.10-c.so");
    }

    @Test
    void aProgramWithoutPythonHasNoRuntime() throws Exception {
        Process program = new ProcessBuilder("sleep", "100").start();
        try {
            assertThat(locator.locate((int) program.pid())).isNull();
        } finally {
            program.destroyForcibly();
        }
    }

    private void checkRefused(String command, String mapped) throws Exception {
        Process program = new ProcessBuilder("sh", "-c", command)
                .directory(folder.toFile())
                .start();
        int pid = (int) program.pid();
        try {
            Until.holds(() -> maps(pid, mapped));
            assertThatThrownBy(() -> locator.locate(pid))
                    .isInstanceOf(UnreadableRuntime.class)
                    .hasMessageContaining("it runs PyPy, whose stacks cannot be read");
        } finally {
            program.destroyForcibly();
        }
    }

    private static boolean maps(int pid, String name) throws Exception {
        return MappedFile.of(pid).stream().anyMatch(file -> file.base().equals(name));
    }
}
