package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.QuietMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks read from outside, against what the interpreter says of itself while it holds still: every frame, file and line. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class PythonStacksTest {
    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    static List<Interpreters.Interpreter> interpreters() throws IOException {
        return Interpreters.versions();
    }

    @Test
    @EnabledIf("hasUnpackedInterpreters")
    void everyMinorVersionIsThere() throws IOException {
        assertThat(interpreters())
                .extracting(Interpreters.Interpreter::name)
                .contains(
                        "CPython 3.9", "CPython 3.10", "CPython 3.11", "CPython 3.12", "CPython 3.13", "CPython 3.14");
    }

    /** The build fetches them for this architecture; -Dinterpreters.skip leaves them out. */
    static boolean hasUnpackedInterpreters() {
        return System.getProperty("os.arch", "").equals("amd64") && Files.isDirectory(Path.of("target/cpython"));
    }

    @AfterEach
    void endWhatWasStarted() {
        started.forEach(Process::destroyForcibly);
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    void everyFrameIsTheOneTheInterpreterSays(Interpreters.Interpreter interpreter) throws Exception {
        QuietMachine.judge(folder, attempt -> {
            Path script = Files.createDirectory(attempt.resolve("skripte ü 模块")).resolve("still.py");
            Files.copy(Path.of("src/test/resources/python/still.py"), script);
            Process program = interpreter.start(script.toString()).start();
            started.add(program);
            Map<String, List<String>> expected = new HashMap<>();
            StackSamples samples = StackSamples.of(program, attempt.resolve("spool"), 100, () -> {
                expected.putAll(StackSamples.awaitReady(program));
                Thread.sleep(200); // Some rounds of sampling; none of the threads moves any more.
            });
            assertThat(expected).hasSize(14);
            Map<String, List<String>> found = samples.last();
            expected.forEach((thread, frames) -> {
                if (frames.size() <= ThreadStack.MAX_DEPTH) {
                    List<String> read = new ArrayList<>(found.get(thread));
                    read.remove("lock [python]"); // Most of these threads wait for one.
                    assertThat(read).as("thread %s", thread).isEqualTo(frames);
                }
            });
        });
    }
}
