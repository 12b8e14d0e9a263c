package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Threads of builds without a GIL, which run Python at the same time. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class FreeThreadedStacksTest {
    private static final Path SCRIPTS = Path.of("src/test/resources/python");
    private static final int THREADS = 3;

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();
    private List<Interpreters.Interpreter> interpreters = List.of();

    @BeforeEach
    void findInterpreters() throws IOException {
        interpreters = Interpreters.freeThreaded();
        if (interpreters.isEmpty()) {
            System.out.println("skipped: " + Interpreters.FREE_THREADED + " names no free-threaded Python");
        }
        Assumptions.assumeFalse(interpreters.isEmpty(), "no free-threaded Python");
    }

    @AfterEach
    void endWhatWasStarted() {
        started.forEach(Process::destroyForcibly);
    }

    /** Each thread executes a copy of the instructions of its own, from 3.14 on. */
    @Test
    void sharesOfThreadsThatRunAtOnceAreThoseOfTheirClocks() throws Exception {
        for (Interpreters.Interpreter interpreter : interpreters) {
            QuietMachine.judge(attempt -> {
                Map<String, List<String>> clocked = new HashMap<>();
                Process program = start(interpreter, "shares.py", "2", Integer.toString(THREADS));
                StackSamples samples = StackSamples.of(
                        program,
                        folder.resolve(interpreter.name() + attempt),
                        500,
                        () -> clocked.putAll(StackSamples.awaitReady(program)));
                for (int thread = 0; thread < THREADS; thread++) {
                    String suffix = thread == 0 ? "[a-z]" : Integer.toString(thread);
                    Map<String, List<String>> own = new HashMap<>(clocked);
                    own.keySet().removeIf(function -> !function.matches(".*" + suffix));
                    assertThat(SampledShare.of(samples, own))
                            .as("thread %s", thread)
                            .hasSize(4)
                            .allMatch(MovingStacksTest::agrees);
                }
            });
        }
    }

    @Test
    void noThreadHoldsOrAwaitsALockOfTheInterpreter() throws Exception {
        for (Interpreters.Interpreter interpreter : interpreters) {
            assertThat(gil(interpreter, "0")).isSubsetOf(0L, (long) StackAccount.BLOCKED);
        }
    }

    /** A module that needs it brings the GIL back. */
    @Test
    void aGilThatIsSwitchedOnIsSeen() throws Exception {
        for (Interpreters.Interpreter interpreter : interpreters) {
            QuietMachine.judge(attempt -> assertThat(gil(interpreter, "1")).contains(1L, 2L));
        }
    }

    /** Returns what samples of gil.py said of the GIL, and -1 if a thread's state named it. */
    private Set<Long> gil(Interpreters.Interpreter interpreter, String gil) throws Exception {
        ProcessBuilder builder = interpreter.start(SCRIPTS.resolve("gil.py").toString());
        builder.environment().put("PYTHON_GIL", gil);
        Process program = builder.start();
        started.add(program);
        StackSamples samples =
                StackSamples.of(program, folder.resolve(interpreter.name() + gil + started.size()), 500, () -> {
                    StackSamples.awaitReady(program);
                    Thread.sleep(800);
                });
        program.destroyForcibly().waitFor();
        Set<Long> found = new TreeSet<>();
        Timeline timeline = samples.timeline();
        assertThat(samples.rows()).hasSizeGreaterThan(10);
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.STACK_SAMPLE) {
                found.add(Math.max(0, timeline.attribute(row, Attribute.GIL)));
            } else if (gil.equals("0")
                    && timeline.kind(row) == RowKind.THREAD_STATE
                    && timeline.attribute(row, Attribute.WAIT_REASON) == WaitReason.GIL.ordinal()) {
                found.add(-1L);
            }
        }
        return found;
    }

    private Process start(Interpreters.Interpreter interpreter, String script, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(SCRIPTS.resolve(script).toString()));
        words.addAll(List.of(arguments));
        Process process = interpreter.start(words.toArray(String[]::new)).start();
        started.add(process);
        return process;
    }
}
