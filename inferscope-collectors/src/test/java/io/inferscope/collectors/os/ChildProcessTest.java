package io.inferscope.collectors.os;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.Until;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What this process is while it starts another one. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class ChildProcessTest {
    private static final int RLIMIT_CORE = 4;
    private static final String CORE_LIMIT = "inferscope.child.core_limit";

    @TempDir
    Path folder;

    @Test
    void whileAProgramStartsWithTheUsersLimitThisProcessLeavesNoCoreDump() throws Exception {
        Path pipe = folder.resolve("pipe"); // The start waits in it, until it is read.
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        long before = coreLimit();
        System.setProperty(CORE_LIMIT, "4096");
        try {
            CompletableFuture<ChildProcess> started = CompletableFuture.supplyAsync(() -> start("exit 7", pipe));
            Until.holds(() -> coreLimit() == 4096);
            int during = dumpable();
            Files.readString(pipe);

            assertThat(during).isZero();
            assertThat(started.get().awaitEnd().shellCode()).isEqualTo(7);
            assertThat(coreLimit()).isZero();
            assertThat(dumpable()).isOne();
        } finally {
            System.setProperty(CORE_LIMIT, Long.toString(before));
            OwnProcess.limitCore(true);
            System.clearProperty(CORE_LIMIT);
            LibC.prctl(LibC.PR_SET_DUMPABLE, 1, 0, 0, 0);
        }
    }

    @Test
    void fileThatTheJvmOpensWithoutAMarkDoesNotArrive() throws Exception {
        Path list = folder.resolve("list");
        int unmarked = LibC.open("/dev/null", 0);
        try {
            start("ls -1 /proc/$$/fd; :", list).awaitEnd();
        } finally {
            LibC.close(unmarked);
        }
        assertThat(list).hasContent("0\n1\n2");
    }

    private ChildProcess start(String script, Path output) {
        List<byte[]> words = List.of("sh".getBytes(UTF_8), "-c".getBytes(UTF_8), script.getBytes(UTF_8));
        byte[] errors = folder.resolve("errors").toString().getBytes(UTF_8);
        byte[] within = folder.toString().getBytes(UTF_8);
        byte[] out = output.toString().getBytes(UTF_8);
        try {
            return ChildProcess.spawn(
                    "/bin/sh".getBytes(UTF_8), words, List.of(), new ChildProcess.Background(0, out, errors, within));
        } catch (SpawnException refused) {
            throw new AssertionError(refused);
        }
    }

    private static long coreLimit() {
        long[] limits = new long[2];
        LibC.getrlimit(RLIMIT_CORE, limits);
        return limits[0];
    }

    private static int dumpable() {
        return LibC.prctl(LibC.PR_GET_DUMPABLE, 0, 0, 0, 0);
    }
}
