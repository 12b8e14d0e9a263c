package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.fixture.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The module of C that a line of Python calls is read from its frame, where no perf event tells it. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class CalledModulesTest {
    private static final Path PROGRAM = Path.of("src/test/resources/python/calls.py");
    private static final Pattern FRAME = Pattern.compile(".*calls\\.py\\((\\d+)\\): .*");
    private static final Pattern LOCKS = Pattern.compile(".*locks\\.py\\(\\d+\\): (takes_\\w+|iterates|gets|sleeps).*");
    private static final Pattern FREES =
            Pattern.compile(".*frees\\.py\\(\\d+\\): (drops|stores|stores_locally)(\\|called .*)?");

    /** Functions of C that ctypes calls; their type has a call function, but no vectorcall. */
    private static final String FOREIGN = """
            import _ctypes, ctypes, sys, time
            memset, buffer = ctypes.CDLL(None).memset, ctypes.create_string_buffer(1 << 20)
            print('\\x1f'.join(['stack', 'module', getattr(_ctypes, '__file__', '')]))
            print('ready', flush=True)
            def foreign():
                end = time.thread_time() + 0.4
                while time.thread_time() < end:
                    for _ in range(20): memset(buffer, 1, len(buffer))
            foreign()
            print('ready', flush=True)
            sys.stdin.read()
            """;

    private static final Pattern TRUTH = Pattern.compile(".*# (\\w+)$");
    private static final Pattern CALLED = Pattern.compile("called (?:(?:\\w+\\.)*(\\w+) )?\\[(.*)\\]");

    @TempDir
    Path folder;

    private @Nullable Process started;

    /** Samples of a line: how many there are, and what the called modules were. */
    private static final class Seen {
        int samples;
        int named;
        final List<String> modules = new ArrayList<>();
        final List<Long> columns = new ArrayList<>();
    }

    static List<Interpreters.Interpreter> interpreters() throws IOException {
        return Interpreters.some();
    }

    @AfterEach
    void endWhatWasStarted() {
        if (started != null) {
            started.destroyForcibly();
        }
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    void aLineIsNamedByTheModuleItCalls(Interpreters.Interpreter interpreter) throws Exception {
        assertNames(interpreter, Seeds.areAll() ? 500 : 20);
    }

    /** A profile function is on, but for the last quarter of the program: that replaces the instructions of calls, from 3.12 on. */
    @Test
    void aProfileFunctionHidesNoCall() throws Exception {
        List<Interpreters.Interpreter> newest = new ArrayList<>();
        for (Interpreters.Interpreter interpreter : Interpreters.some()) {
            int minor = Interpreters.minor(interpreter);
            boolean isNewer = newest.isEmpty() || minor > Interpreters.minor(newest.get(0));
            if (minor >= 12 && isNewer) {
                newest.add(0, interpreter);
            }
        }
        assumeTrue(!newest.isEmpty(), "no interpreter replaces instructions of calls");
        assertNames(newest.get(0), 300, "profiled");
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    void aFunctionThatCtypesCallsIsNoPython(Interpreters.Interpreter interpreter) throws Exception {
        QuietMachine.judge(folder, attempt -> {
            started = interpreter.start("-c", FOREIGN).start();
            String module = StackSamples.awaitReady(started).get("module").get(0);
            assumeTrue(!module.isEmpty(), "ctypes is part of this interpreter");
            StackSamples samples =
                    StackSamples.of(started, attempt.resolve("spool"), 500, () -> StackSamples.awaitReady(started));
            started.destroyForcibly();

            List<Boolean> named = new ArrayList<>();
            for (int row : samples.rows()) {
                List<String> stack = samples.stack(row);
                if (stack.stream().anyMatch(frame -> frame.endsWith(": foreign"))) {
                    named.add(stack.stream().anyMatch(frame -> frame.matches("called (\\S+ )?\\[_ctypes.*")));
                }
            }
            assertThat(named).hasSizeGreaterThan(2);
            assertThat(Collections.frequency(named, true)).isGreaterThan(named.size() / 2);
        });
    }

    /** Whoever holds the lock may sleep: what the waiting thread does is the evidence. */
    @ParameterizedTest
    @MethodSource("interpreters")
    void aFrameThatTakesALockSaysSo(Interpreters.Interpreter interpreter) throws Exception {
        QuietMachine.judge(folder, attempt -> {
            started = interpreter.start("src/test/resources/python/locks.py").start();
            StackSamples.awaitReady(started);
            StackSamples samples =
                    StackSamples.of(started, attempt.resolve("locks"), 100, () -> StackSamples.awaitReady(started));
            started.destroyForcibly();

            Map<String, Set<Boolean>> taking = new TreeMap<>();
            for (int row : samples.rows()) {
                List<String> stack = samples.stack(row);
                Matcher function = LOCKS.matcher(String.join("|", stack));
                if (function.matches()) {
                    taking.computeIfAbsent(function.group(1), name -> new TreeSet<>())
                            .add(stack.get(stack.size() - 1).equals("lock [python]"));
                }
            }
            // The first looks at a function only tell that it exists.
            assertThat(taking)
                    .hasSize(7)
                    .allSatisfy((name, takes) ->
                            assertThat(takes.contains(true)).as(name).isEqualTo(name.startsWith("takes_")));
        });
    }

    /** A sixth to a fourth of each line's time goes to freeing what it made, at an instruction behind the call. */
    @ParameterizedTest
    @MethodSource("interpreters")
    void whatACallMadeIsFreedInItsName(Interpreters.Interpreter interpreter) throws Exception {
        QuietMachine.judge(folder, attempt -> {
            started = interpreter
                    .start("src/test/resources/python/frees.py", "60")
                    .start();
            StackSamples.awaitReady(started);
            StackSamples samples =
                    StackSamples.of(started, attempt.resolve("spool"), 500, () -> StackSamples.awaitReady(started));
            started.destroyForcibly();

            List<Boolean> named = new ArrayList<>();
            for (int row : samples.rows()) {
                List<String> stack = new ArrayList<>(samples.stack(row));
                stack.removeIf(frame -> frame.endsWith(" [kernel]"));
                String last = stack.get(stack.size() - 1);
                if (FREES.matcher(String.join("|", stack)).matches()) {
                    named.add(last.startsWith("called "));
                }
            }
            List<Boolean> later =
                    named.subList(named.size() / 4, named.size()); // The first looks come before the maps are read.
            assertThat(later).hasSizeGreaterThan(100);
            assertThat((double) Collections.frequency(later, false) / later.size())
                    .isLessThan(0.06);
        });
    }

    private void assertNames(Interpreters.Interpreter interpreter, int leastTurns, String... hook) throws Exception {
        QuietMachine.judge(folder, attempt -> {
            int turns = leastTurns;
            while (!isNamedByWhatItCalls(
                    interpreter,
                    attempt.resolve("spool" + turns),
                    turns,
                    hook)) { // A busy machine may leave the sampler no time meanwhile.
                turns *= 4;
                assertThat(turns).isLessThan(10_000);
            }
        });
    }

    /** Returns false where too few samples were taken to tell. */
    private boolean isNamedByWhatItCalls(Interpreters.Interpreter interpreter, Path spool, int turns, String... hook)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of(PROGRAM.toString(), "" + turns));
        arguments.addAll(List.of(hook));
        started = interpreter.start(arguments.toArray(new String[0])).start();
        StackSamples.awaitReady(started);
        StackSamples samples = StackSamples.of(started, spool, 1000, () -> StackSamples.awaitReady(started));
        started.destroyForcibly();

        int minor = Interpreters.minor(interpreter);
        List<String> lines = Files.readAllLines(PROGRAM);
        Map<Integer, Seen> byLine = byLine(samples);
        List<String> wrong = new ArrayList<>();
        int ofModule = 0;
        int named = 0;
        int unnamed = 0;
        for (Map.Entry<Integer, Seen> entry : byLine.entrySet()) {
            Matcher truth = TRUTH.matcher(lines.get(entry.getKey() - 1));
            String expected = truth.matches() ? truth.group(1) : "nothing";
            Seen seen = entry.getValue();
            String allowed = expected.equals("either") ? "zlib" : expected;
            String line = lines.get(entry.getKey() - 1);
            boolean namesIt = line.contains("zlib.") || line.contains("packer.");
            for (int i = 0; i < seen.modules.size(); i++) {
                String name = seen.modules.get(i);
                Matcher called = CALLED.matcher(name);
                boolean right = called.matches() && called.group(2).matches("_?" + allowed + ".*");
                String function = right ? called.group(1) : null;
                unnamed += function == null && namesIt ? 1 : 0;
                String expression = minor < 11 ? line : expression(line, seen.columns.get(i));
                if (!right || (function != null && namesIt && !expression.contains(function + "("))) {
                    wrong.add(entry.getKey() + ": " + name + ", not " + expected);
                }
            }
            ofModule += expected.equals("zlib") ? seen.samples : 0;
            named += expected.equals("zlib") ? seen.named : 0;
        }
        assertThat(wrong).isEmpty();
        assertThat(unnamed).as("calls whose function has no name").isLessThanOrEqualTo(named / 10);
        int least =
                hook.length == 0 ? ofModule / 3 : 3 * ofModule / 4; // The first looks come before the maps are read.
        return ofModule > 20 && named > least;
    }

    /** Returns the part of a line of the program in a sample's columns. */
    private static String expression(String line, long columns) {
        int end = (int) columns & 0xffff;
        return line.substring((int) (columns >>> 16) - 1, end == 0 ? line.length() : end - 1);
    }

    private static Map<Integer, Seen> byLine(StackSamples samples) {
        Map<Integer, Seen> byLine = new TreeMap<>();
        for (int row : samples.rows()) {
            List<String> stack = new ArrayList<>(samples.stack(row));
            stack.removeIf(frame -> frame.endsWith(" [kernel]")); // What a call enters the kernel for lies upon it.
            boolean called = stack.get(stack.size() - 1).startsWith("called ");
            Matcher innermost = FRAME.matcher(stack.get(stack.size() - (called ? 2 : 1)));
            if (innermost.matches()) {
                Seen seen = byLine.computeIfAbsent(Integer.parseInt(innermost.group(1)), line -> new Seen());
                seen.samples++;
                if (called) {
                    seen.named++;
                    seen.modules.add(stack.get(stack.size() - 1));
                    seen.columns.add(samples.timeline().attribute(row, Attribute.COLUMNS));
                }
            }
        }
        return byLine;
    }
}
