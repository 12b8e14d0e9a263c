package io.inferscope.collectors.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.RemoteLibraryCall;
import io.inferscope.timeline.fixture.Until;
import io.inferscope.timeline.spool.CCompiler;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where running programs can be made to load a library, and that they go on as before. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class LoaderSiteTest {
    @TempDir
    Path folder;

    /** Paths are bytes: this program maps a file whose name is no text in UTF-8. */
    @Test
    void pathsOfAnyEncodingAreRead() throws Exception {
        String copy =
                "d=$(printf '\\377\\376'); mkdir $d; cp \"$(command -v sleep)\" $d/sleep; echo; exec $d/sleep 100";
        Process program =
                new ProcessBuilder("sh", "-c", copy).directory(folder.toFile()).start();
        try {
            assertThat(program.inputReader().readLine()).isEmpty();
            int pid = (int) program.pid();
            // Its libraries are mapped some time after it has its name.
            Until.holds(() -> isSleep(pid) && LoaderSite.of(pid) != null);
            LoaderSite site = Objects.requireNonNull(LoaderSite.of(pid));
            assertThat(site.dlopen()).isNotZero();
            assertThat(holder(pid, site.code()))
                    .as("a library that is never unloaded")
                    .containsPattern("/(ld-|libc)[^/]*$");
        } finally {
            program.destroyForcibly().waitFor();
        }
    }

    /** A handler must not run while the loader's locks are held, and the wait must not go on as if no signal had come. */
    @Tag("native")
    @ParameterizedTest
    @ValueSource(strings = {"poll", "timed-poll", "epoll", "select", "sleep"})
    void aSignalDuringTheCallInterruptsTheWaitAfterIt(String wait) throws Exception {
        call(wait, (pid, refusal, out) -> {
            assertThat(refusal).isEmpty();
            Until.holds(() -> Files.exists(folder.resolve("entered")));
            new ProcessBuilder("kill", "-USR1", Integer.toString(pid)).start().waitFor();
            Until.holds(out::ready);
            assertThat(out.readLine()).isEqualTo("-1 EINTR, handled 1, 0 of it during the call");
        });
    }

    @Test
    @Tag("native")
    void aProgramThatFiltersItsSystemCallsIsNotEntered() throws Exception {
        call("filtered", (pid, refusal, out) -> {
            assertThat(refusal).isEqualTo(RemoteLibraryCall.FILTERED);
            assertThat(ProcessHandle.of(pid)).isPresent();
        });
    }

    private interface Check {
        void of(int pid, String refusal, BufferedReader out) throws Exception;
    }

    /** Has a program of native/stubs/waits.c load a library while it waits. */
    private void call(String wait, Check check) throws Exception {
        CCompiler.need(RemoteLibraryCall.isSupported(), "the code is for x86-64");
        String source = "../native/stubs/waits.c";
        Path library = folder.resolve("libwaits.so");
        CCompiler.library(library, source, List.of("-DLIBRARY"));
        CCompiler.compile(List.of("-rdynamic", "-o", folder.resolve("waits").toString(), source));
        // A grandchild: Java waits for its children itself, and would take the stop.
        Process shell = new ProcessBuilder("sh", "-c", "./waits " + wait + " & echo $!; wait $!")
                .directory(folder.toFile())
                .start();
        BufferedReader out = shell.inputReader();
        int pid = Integer.parseInt(out.readLine());
        try {
            Until.holds(() -> !RemoteLibraryCall.waiting(pid).isEmpty());
            LoaderSite site = Objects.requireNonNull(LoaderSite.of(pid));
            var loading = new RemoteLibraryCall.Loading(
                    site.dlopen(), site.dlsym(), site.code(), library, "linger", folder.resolve("entered"), 7);
            check.of(pid, RemoteLibraryCall.call(pid, loading), out);
        } finally {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            shell.waitFor();
        }
    }

    /** Python has no surrogate pairs; a path with one could not be encoded. */
    @Test
    void textsForPythonAreWrittenByCodePoint() {
        assertThat(GpuAttachment.literal("/a 'b\\/\u00e9\ud83d\ude80"))
                .isEqualTo("'/a \\U00000027b\\U0000005c/\\U000000e9\\U0001f680'");
    }

    private static String holder(int pid, long address) throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"), StandardCharsets.ISO_8859_1)) {
            String[] range = line.substring(0, line.indexOf(' ')).split("-", -1);
            if (address >= Long.parseUnsignedLong(range[0], 16) && address < Long.parseUnsignedLong(range[1], 16)) {
                return line;
            }
        }
        return "";
    }

    private static boolean isSleep(int pid) throws Exception {
        return Files.readString(Path.of("/proc/" + pid + "/comm")).equals("sleep\n");
    }
}
