package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks read from outside, against what the interpreter says of itself while it holds still: every frame, file and line. */
@EnabledOnOs(OS.LINUX)
class PythonStacksTest {
    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    static List<Interpreters.Interpreter> interpreters() throws IOException {
        return Interpreters.all();
    }

    @AfterEach
    void endWhatWasStarted() {
        started.forEach(Process::destroyForcibly);
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    void everyFrameIsTheOneTheInterpreterSays(Interpreters.Interpreter interpreter) throws Exception {
        Path script = folder.resolve("skripte ü 模块");
        Files.createDirectories(script);
        script = script.resolve("still.py");
        Files.copy(Path.of("src/test/resources/python/still.py"), script);
        Process program = interpreter.start(script.toString()).start();
        started.add(program);
        Map<String, List<String>> expected = new HashMap<>();
        StackSamples samples = StackSamples.of(program, folder.resolve("spool"), () -> {
            expected.putAll(awaitReady(program));
            Thread.sleep(200); // Some rounds of sampling; none of the threads moves any more.
        });
        assertThat(expected).hasSize(10);
        Map<String, List<String>> found = samples.last();
        expected.forEach((thread, frames) -> {
            if (frames.size() <= ThreadStack.MAX_DEPTH) {
                assertThat(found.get(thread)).as("thread %s", thread).isEqualTo(frames);
            }
        });
    }

    private static Map<String, List<String>> awaitReady(Process program) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
        Map<String, List<String>> stacks = new HashMap<>();
        for (String line = lines.readLine(); !"ready".equals(line); line = lines.readLine()) {
            assertThat(line).as("the program ended early").isNotNull();
            List<String> words = List.of(line.split("\u001f", -1));
            stacks.put(words.get(1), words.subList(2, words.size()));
        }
        return stacks;
    }
}
