package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StageTest {
    private static final String COST = ": [0-9]+\\.[0-9]{2} s, CPU [0-9]+\\.[0-9]{2} s";

    @TempDir
    private Path folder;

    private Path trace = Path.of("");

    @BeforeEach
    void recording() throws IOException {
        trace = Files.writeString(folder.resolve("a.json"), """
                {"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":10}]}
                """);
    }

    @Test
    void analyzeSaysWhatEachStageTook() {
        assertThat(stages("analyze", trace.toString(), "--log-level", "debug"))
                .containsExactly("inferscope: reading", "inferscope: analysis", "inferscope: writing");
    }

    @Test
    void diffSaysItOfEachRecording() {
        assertThat(stages("diff", trace.toString(), trace.toString(), "--log-level", "debug"))
                .containsExactly(
                        "inferscope: reading a.json",
                        "inferscope: analysis of a.json",
                        "inferscope: reading a.json",
                        "inferscope: analysis of a.json",
                        "inferscope: comparison",
                        "inferscope: writing");
    }

    @Test
    void otherwiseNothingIsSaid() {
        assertThat(stages("analyze", trace.toString())).isEmpty();
    }

    private static List<String> stages(String... words) {
        StringWriter err = new StringWriter();
        int code = Main.run(
                Main.commandLine().setErr(new PrintWriter(err)).setOut(new PrintWriter(new StringWriter())), words);

        assertThat(code).isZero();
        return err.toString()
                .lines()
                .filter(line -> line.matches(".*" + COST))
                .map(line -> line.replaceFirst(COST, ""))
                .toList();
    }
}
