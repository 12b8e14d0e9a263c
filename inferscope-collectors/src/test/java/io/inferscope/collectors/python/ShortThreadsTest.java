package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.QuietMachine;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Python's states of threads that live for less than a round of the sampler, as those of a library's threads that call
 * Python now and then.
 */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class ShortThreadsTest {
    /** One short thread after the other: how many there are is always the same. */
    private static final String PROGRAM = """
            import sys, threading, time
            def work():
                end = time.perf_counter() + 0.005
                while time.perf_counter() < end: pass
            sys.stdin.readline()
            end, spent = time.perf_counter() + 3, 0
            while time.perf_counter() < end:
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
                spent += 5
            print(spent, flush=True)
            sys.stdin.read()
            """;

    private static final int RATE_HZ = 50;

    @TempDir
    Path folder;

    @Test
    void threadsThatAreGoneInTheNextRoundAreSeen() throws Exception {
        QuietMachine.judge(attempt -> {
            Process program = new ProcessBuilder("python3", "-c", PROGRAM)
                    .redirectErrorStream(true)
                    .start();
            try {
                String[] spentMs = {""};
                StackSamples samples = StackSamples.of(program, folder.resolve("attempt" + attempt), RATE_HZ, () -> {
                    program.getOutputStream().write('\n');
                    program.getOutputStream().flush();
                    spentMs[0] = new BufferedReader(
                                    new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))
                            .readLine();
                });
                long seen = samples.rows().stream()
                        .filter(row -> samples.stack(row).stream().anyMatch(frame -> frame.endsWith(": work")))
                        .count();
                double rounds = Integer.parseInt(spentMs[0]) * RATE_HZ / 1000.0;
                assertThat(seen / rounds)
                        .as("samples of %d in %.0f rounds", seen, rounds)
                        .isGreaterThan(0.75);
            } finally {
                program.destroyForcibly();
            }
        });
    }
}
