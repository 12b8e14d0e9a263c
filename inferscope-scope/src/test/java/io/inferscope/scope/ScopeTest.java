package io.inferscope.scope;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("process")
class ScopeTest {
    @TempDir
    Path folder;

    /** A user's program: nested scopes on two threads, marks, and a scope closed twice. */
    public static final class Program {
        /** Runs it; {@code kill} as argument ends it without any hook. */
        @SuppressWarnings("try") // Closing twice is what is tried.
        public static void main(String[] arguments) throws Exception {
            try (Scope outer = Scope.open("llm_inference")) {
                try (Scope inner = Scope.open("tokenize \"ü\"", Activity.TOKENIZATION)) {
                    inner.value(12);
                    inner.close();
                }
                Thread other = new Thread(() -> Scope.open("worker").close(), "worker-thread");
                other.start();
                other.join();
                Scope.mark("first token", Map.of("request", "r\n1", "tokens", 3));
            }
            if (arguments.length > 0) {
                awaitFlush(Path.of(System.getenv("INFERSCOPE_SPOOL_DIR")));
                Runtime.getRuntime().halt(9); // Ends like kill -9: no hooks run.
            }
        }

        /** Waits until all is in the file; gives up long after any flush interval. */
        private static void awaitFlush(Path spools) throws Exception {
            for (int i = 0; i < 6000 && !only(spools).contains("first token"); i++) {
                Thread.sleep(10);
            }
        }
    }

    @Test
    void withoutARunTheProgramWritesItsOwnTraceBelowOutputs() throws Exception {
        run(Map.of());
        String trace = only(folder.resolve("outputs"));
        assertThat(trace)
                .startsWith("{\"schemaVersion\":1,\"baseTimeNanoseconds\":")
                .contains("\"name\":\"llm_inference\"", "\"name\":\"tokenize \\\"ü\\\"\"", "\"name\":\"worker\"")
                .contains("\"inferscope_activity\":1", "\"request\":\"r\\u000a1\"", "\"tokens\":3")
                .contains("worker-thread")
                .endsWith("]}\n");
        assertThat(trace.split("tokenize", -1)).as("closing twice records once").hasSize(2);
    }

    @Test
    void inARunTheProgramWritesASpoolAndNoTrace() throws Exception {
        Path spools = folder.resolve("spools");
        run(Map.of("INFERSCOPE_SPOOL_DIR", spools.toString()));
        assertThat(only(spools)).startsWith("ISPOOL1\n").contains("llm_inference", "worker-thread", "JVM ");
        try (var files = Files.list(folder)) {
            assertThat(files.map(f -> f.getFileName().toString())).containsExactly("spools");
        }
    }

    @Test
    void whatWasFlushedSurvivesAKill() throws Exception {
        Path spools = folder.resolve("spools");
        run(Map.of("INFERSCOPE_SPOOL_DIR", spools.toString()), "kill");
        assertThat(only(spools)).contains("llm_inference", "first token");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "false", "Off", "no"})
    void turnedOffNothingIsWritten(String off) throws Exception {
        run(Map.of(
                "INFERSCOPE_ENABLED",
                off,
                "INFERSCOPE_SPOOL_DIR",
                folder.resolve("spools").toString()));
        try (var files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void unwritableFolderLeavesTheProgramAlone() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "x");
        Process program =
                start(Map.of("INFERSCOPE_SPOOL_DIR", file.resolve("below").toString()));
        String errors = new String(program.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(program.waitFor()).isZero();
        assertThat(errors).contains("inferscope: scopes are not recorded");
    }

    @Test
    void threadIsKnownByItsKernelThreadId() {
        ScopeThread self = ScopeThread.current();
        assertThat(Path.of("/proc/self/task/" + self.tid)).exists();
    }

    @Test
    void microsecondsKeepNanoseconds() {
        assertThat(List.of(
                        TraceFileRecorder.micros(1_234_567),
                        TraceFileRecorder.micros(5),
                        TraceFileRecorder.micros(-1_001)))
                .containsExactly("1234.567", "0.005", "-1.001");
    }

    private void run(Map<String, String> environment, String... arguments) throws Exception {
        Process program = start(environment, arguments);
        assertThat(new String(program.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(program.waitFor(3, TimeUnit.MINUTES)).isTrue();
    }

    private Process start(Map<String, String> environment, String... arguments) throws IOException {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        ProcessBuilder builder = new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java", "-Xshare:auto", "-cp", classes, Program.class.getName());
        builder.command().addAll(List.of(arguments));
        builder.environment().keySet().removeIf(name -> name.startsWith("INFERSCOPE_"));
        builder.environment().putAll(environment);
        return builder.directory(folder.toFile()).start();
    }

    private static String only(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return new String(Files.readAllBytes(all.get(0)), StandardCharsets.UTF_8);
        }
    }
}
