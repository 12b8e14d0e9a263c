package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.python.Interpreters.Interpreter;
import io.inferscope.timeline.fixture.QuietMachine;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A thread's stack is that of the greenlet that runs on it: one that is switched out does nothing. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class GreenletStacksTest {
    /** Greenlets that lie deep in calls: the hub waits for a byte, then they take turns, as often as they can, until the next byte. */
    private static final String PROGRAM = """
            import os, select, sys
            from greenlet import getcurrent, greenlet
            hub = getcurrent()
            def even(depth):
                if depth: return odd(depth - 1)
                while True: hub.switch(sum(range(300)))
            def odd(depth):
                return even(depth)
            def left(depth):
                if depth: return right(depth - 1)
                while True: hub.switch(sum(range(300)))
            def right(depth):
                return left(depth)
            def wait_in_hub():
                select.select([0], [], [])
                os.read(0, 1)
            def turn_in_hub():
                while not select.select([0], [], [], 0)[0]:
                    for one in workers * 50: one.switch()
            workers = [greenlet(even), greenlet(left)]
            workers[0].switch(300)
            workers[1].switch(2)
            print('ready', flush=True)
            wait_in_hub()
            turn_in_hub()
            """;

    @TempDir
    Path folder;

    private static List<Interpreter> withGreenlets() throws Exception {
        List<Interpreter> found = new ArrayList<>();
        for (Interpreter one : Interpreters.all()) {
            if (one.start("-c", "import importlib.util, sys; sys.exit(not importlib.util.find_spec('greenlet'))")
                            .start()
                            .waitFor()
                    == 0) {
                found.add(one);
            }
        }
        if (found.isEmpty()) {
            System.out.println("skipped: no Python here has greenlet; INFERSCOPE_TEST_PYTHON may name one that has");
        }
        Assumptions.assumeTrue(
                !found.isEmpty() || "1".equals(System.getenv("INFERSCOPE_REQUIRE_GREENLET")), "no greenlet");
        assertThat(found).as("interpreters with greenlet").isNotEmpty();
        return found;
    }

    @Test
    void onlyTheGreenletThatRunsIsSeen() throws Exception {
        for (Interpreter interpreter : withGreenlets()) {
            QuietMachine.judge(
                    Files.createDirectories(folder.resolve(interpreter.name())),
                    attempt -> check(interpreter, attempt));
        }
    }

    private static void check(Interpreter interpreter, Path folder) throws Exception {
        Process program = interpreter.start("-c", PROGRAM).start();
        try {
            StackSamples.awaitReady(program);
            StackSamples waiting = StackSamples.of(program, folder.resolve("waiting"), 100, () -> Thread.sleep(300));
            assertThat(waiting.last()).hasSize(1);
            for (int row : waiting.rows()) {
                assertThat(functions(waiting.stack(row)))
                        .startsWith("<module>", "wait_in_hub")
                        .doesNotContain("even", "odd", "left", "right");
            }
            StackSamples turning = StackSamples.of(program, folder.resolve("turning"), 200, () -> {
                write(program);
                Thread.sleep(1000);
            });
            write(program);
            checkTurns(turning);
        } finally {
            program.destroyForcibly();
        }
    }

    /** One read in a hundred may see frames of both sides of a switch: python-stacks.md. */
    private static void checkTurns(StackSamples turning) {
        List<List<String>> mixed = new ArrayList<>();
        boolean deep = false;
        boolean shallow = false;
        for (int row : turning.rows()) {
            List<String> functions = functions(turning.stack(row));
            boolean first = functions.contains("even");
            boolean second = functions.contains("left");
            boolean outside = functions.contains("turn_in_hub") || functions.contains("wait_in_hub");
            deep |= first && functions.stream().filter("even"::equals).count() > 290;
            shallow |= second && functions.size() <= 7;
            if (Stream.of(first, second, outside).filter(is -> is).count() > 1) {
                mixed.add(functions);
            }
        }
        assertThat(deep).as("a whole stack of the first").isTrue();
        assertThat(shallow).as("one of the second").isTrue();
        assertThat(mixed).hasSizeLessThanOrEqualTo(1 + turning.rows().size() / 50);
    }

    /** Returns the functions of Python frames. */
    private static List<String> functions(List<String> frames) {
        return frames.stream()
                .filter(frame -> frame.contains("): "))
                .map(frame -> frame.substring(frame.indexOf("): ") + 3))
                .toList();
    }

    private static void write(Process program) throws Exception {
        program.getOutputStream().write("x".getBytes(StandardCharsets.US_ASCII));
        program.getOutputStream().flush();
    }
}
