package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.Seeds;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ctrl-C in the middle of writing, with a real process: nothing half-written stays. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("process")
class InterruptedOutputTest {
    private static final int ATTEMPTS = 20;

    @TempDir
    private Path folder;

    static Stream<String> outputs() {
        return Seeds.areAll()
                ? Stream.of("out.json", "out.json.gz", "out.parquet", "out.folded")
                : Stream.of("out.json.gz");
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void nothingHalfWrittenStays(String output) throws IOException, InterruptedException {
        writeTrace(folder.resolve("in.json"));
        boolean atOnce = output.endsWith(".folded"); // A few lines.
        int exitCode = 0;
        // An interrupt may come when it has written everything already.
        for (int attempt = 0; attempt < (atOnce ? 1 : ATTEMPTS) && exitCode == 0; attempt++) {
            Files.deleteIfExists(folder.resolve(output));
            exitCode = interrupted(output);
            assertThat(unfinished()).isEmpty();
            assertThat(Files.exists(folder.resolve(output)))
                    .as("exit code " + exitCode)
                    .isEqualTo(exitCode == 0);
        }
        if (!atOnce) {
            assertThat(exitCode).isEqualTo(128 + 2);
        }
    }

    /** Interrupts a conversion when it has begun to write, and returns its exit code. */
    private int interrupted(String output) throws IOException, InterruptedException {
        Process process = new InferScopeProcess(folder, "setsid")
                .builder("convert", "in.json", "-o", output)
                .start();
        while (process.isAlive() && unfinished().isEmpty()) {
            Thread.sleep(1);
        }
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        return process.waitFor();
    }

    private List<Path> unfinished() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".unfinished")).toList();
        }
    }

    private static void writeTrace(Path file) throws IOException {
        try (Writer out = Files.newBufferedWriter(file)) {
            out.write("[");
            for (int i = 0; i < 400_000; i++) {
                out.write("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op" + i % 100 + "\",\"pid\":1,\"tid\":1,\"ts\":"
                        + i + ",\"dur\":1,\"args\":{\"External id\":" + i + "}},\n");
            }
            out.write("{}]");
        }
    }
}
