package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The module of C that Python called is read from the C stack, where no perf event tells it. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class CalledModulesTest {
    /** A module of C and the interpreter take turns; the second must not inherit what the first left on the C stack. */
    private static final String PROGRAM = """
            import zlib
            data = bytes(range(256)) * 2000
            def packs():
                zlib.compress(data, 9)
            def counts():
                number = 0
                for i in range(60000): number = (number * 31 + i) % 65521
            print("\\x1f".join(["stack", "module", getattr(zlib, "__file__", "")]))
            print("ready", flush=True)
            for turn in range(100):
                packs()
                counts()
            print("stack\\x1fturns\\x1f100")
            print("ready", flush=True)
            __import__("time").sleep(1000)
            """;

    @TempDir
    Path folder;

    private @Nullable Process started;

    static List<Interpreters.Interpreter> interpreters() throws IOException {
        return Interpreters.all();
    }

    @AfterEach
    void endWhatWasStarted() {
        if (started != null) {
            started.destroyForcibly();
        }
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    void whatRunsBeneathACallIsNamedByItsModule(Interpreters.Interpreter interpreter) throws Exception {
        int minor = Interpreters.minor(interpreter);
        assumeTrue(minor == 11 || minor == 12, "where the C stack is, only these versions tell");
        started = interpreter.start("-c", PROGRAM).start();
        String module = StackSamples.awaitReady(started).get("module").get(0);
        assumeTrue(!module.isEmpty(), "zlib is part of this interpreter");
        String frame = "called [" + Path.of(module).getFileName() + "]";
        StackSamples samples =
                StackSamples.of(started, folder.resolve("spool"), 200, () -> StackSamples.awaitReady(started));

        List<List<String>> stacks = samples.rows().stream().map(samples::stack).toList();
        List<List<String>> packs = in(stacks, "packs");
        List<List<String>> counts = in(stacks, "counts");
        assertThat(packs).isNotEmpty();
        assertThat(counts).isNotEmpty();
        assertThat(packs.stream().filter(stack -> stack.get(stack.size() - 1).equals(frame)))
                .hasSizeGreaterThan(packs.size() / 3); // The first looks come before the maps are read.
        assertThat(counts).noneMatch(stack -> stack.get(stack.size() - 1).startsWith("called "));
    }

    private static List<List<String>> in(List<List<String>> stacks, String function) {
        return stacks.stream()
                .filter(stack -> stack.stream().anyMatch(frame -> frame.endsWith(": " + function)))
                .toList();
    }
}
