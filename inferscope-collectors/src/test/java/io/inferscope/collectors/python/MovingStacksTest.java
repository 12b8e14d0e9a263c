package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks of programs that run on while they are read. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class MovingStacksTest {
    private static final Path SCRIPTS = Path.of("src/test/resources/python");

    /** Who may call whom in moving.py. */
    private static final Map<String, Set<String>> CALLS = Map.of(
            "work", Set.of("left", "consume", "churn"),
            "rows", Set.of("left"),
            "left", Set.of("left", "right", "leaf"),
            "right", Set.of("left", "leaf"),
            "consume", Set.of("delegated", "rows", "leaf"),
            "delegated", Set.of("items"),
            "items", Set.of("leaf"),
            "leaf", Set.of(),
            "churn", Set.of("<module>", "made"),
            "made", Set.of("made.<locals>.<listcomp>", "<listcomp>"));

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    static List<Interpreters.Interpreter> interpreters() throws IOException {
        return Interpreters.some();
    }

    @AfterEach
    void endWhatWasStarted() {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    static List<Interpreters.Interpreter> versions() throws IOException {
        return Interpreters.versions();
    }

    /** In how many pieces a stack is read, and what a generator leaves of it, differs between versions. */
    @ParameterizedTest
    @MethodSource("versions")
    void stacksOfAProgramThatNeverHoldsStillAreStacksItCanHave(Interpreters.Interpreter interpreter) throws Exception {
        QuietMachine.judge(attempt -> checkMoving(interpreter, folder.resolve("attempt" + attempt)));
    }

    private void checkMoving(Interpreters.Interpreter interpreter, Path spool) throws Exception {
        Process program = start(interpreter.start(SCRIPTS.resolve("moving.py").toString(), "0.8"));
        StackSamples samples = StackSamples.of(program, spool, 1000, program::waitFor);
        long seen = 0;
        List<List<String>> impossible = new ArrayList<>();
        List<List<String>> cut = new ArrayList<>();
        for (int row : samples.rows()) {
            List<String> stack = functions(samples, row);
            int work = stack.indexOf("work");
            if (work >= 0) {
                seen++;
                if (!isPossible(stack.subList(work, stack.size()))) {
                    impossible.add(stack);
                }
            } else if (stack.stream().anyMatch(CALLS::containsKey)) {
                cut.add(stack);
            }
        }
        Coverage coverage = samples.coverage();
        assertThat(seen).isGreaterThan(30);
        assertThat(impossible.size())
                .as("impossible stacks among %s: %s", seen, impossible)
                .isLessThanOrEqualTo(1 + (int) (seen / 100));
        assertThat(cut.size())
                .as("without callers among %s: %s", seen, cut)
                .isLessThanOrEqualTo(1 + (int) (seen / 100));
        assertThat(coverage.missing())
                .as("lost of %s: %s", coverage.recorded(), coverage.why())
                .isLessThanOrEqualTo(coverage.recorded() / 50);
    }

    private static boolean isPossible(List<String> stack) {
        for (int i = 0; i + 1 < stack.size(); i++) {
            if (!CALLS.getOrDefault(stack.get(i), Set.of()).contains(stack.get(i + 1))) {
                return false;
            }
        }
        return true;
    }

    /** The Python functions of a row's stack, outermost first; those of churn are one. */
    static List<String> functions(StackSamples samples, int row) {
        return samples.stack(row).stream()
                .filter(frame -> frame.contains(": ")) // What they call, or where the kernel is, has no line.
                .map(frame -> frame.substring(frame.lastIndexOf(": ") + 2).replaceAll("made_\\d", "made"))
                .toList();
    }

    /** A sampler that errs by chance stays within four standard errors, one that errs every time does not. */
    @ParameterizedTest
    @MethodSource("interpreters")
    void sampledSharesAreThoseOfTheProgramsOwnClock(Interpreters.Interpreter interpreter) throws Exception {
        QuietMachine.judge(attempt -> assertThat(shares(interpreter, folder.resolve("spool" + attempt)))
                .hasSize(4)
                .allSatisfy(share -> {
                    assertThat(share.standardErrorPoints()).isBetween(0.001, 2.0);
                    assertThat(share).matches(MovingStacksTest::agrees, "is within four standard errors of the clock");
                }));
    }

    static boolean agrees(SampledShare share) {
        return Math.abs(share.sampledPercent() - share.clockedPercent()) <= 4 * share.standardErrorPoints();
    }

    private List<SampledShare> shares(Interpreters.Interpreter interpreter, Path spool) throws Exception {
        Process program = start(interpreter.start(SCRIPTS.resolve("shares.py").toString(), "2"));
        Map<String, List<String>> clocked = new HashMap<>();
        StackSamples samples =
                StackSamples.of(program, spool, 500, () -> clocked.putAll(StackSamples.awaitReady(program)));
        return SampledShare.of(samples, clocked);
    }

    static List<Interpreters.Interpreter> interpretersWithGil() throws IOException {
        return Interpreters.withGil(Interpreters.some());
    }

    @ParameterizedTest
    @MethodSource("interpretersWithGil")
    void gilsHolderAndWhoWaitsForItAreKnown(Interpreters.Interpreter interpreter) throws Exception {
        GilSeen seen = new GilSeen();
        QuietMachine.judge(attempt -> {
            Process program = start(interpreter.start(SCRIPTS.resolve("gil.py").toString()));
            StackSamples samples = StackSamples.of(program, folder.resolve("gil" + attempt), 500, () -> {
                StackSamples.awaitReady(program);
                Thread.sleep(800);
            });
            program.destroyForcibly().waitFor();
            seen.add(samples);
            assertThat(seen.holds.getOrDefault("hog", 0L)).isGreaterThan(5);
            assertThat(seen.waits.getOrDefault("wants", 0L)).isGreaterThan(5);
            assertThat(seen.holders).containsAnyElementsOf(seen.hogs);
        });
    }

    /** How often each job was seen to hold the GIL and to wait for it, and for whom. */
    private static final class GilSeen {
        private final Map<String, Long> holds = new HashMap<>();
        private final Map<String, Long> waits = new HashMap<>();
        private final Set<String> holders = new java.util.HashSet<>();
        private final Set<String> hogs = new java.util.HashSet<>();

        void add(StackSamples samples) {
            Timeline timeline = samples.timeline();
            for (int row : samples.rows()) {
                List<String> stack = functions(samples, row);
                String job = stack.contains("hog") ? "hog" : stack.contains("wants") ? "wants" : "other";
                if (job.equals("hog")) {
                    hogs.add(samples.thread(row));
                }
                long count = Math.max(1, timeline.attribute(row, Attribute.SAMPLES));
                long gil = timeline.attribute(row, Attribute.GIL);
                if (gil == 1) {
                    holds.merge(job, count, Long::sum);
                } else if (gil == 2) {
                    waits.merge(job, count, Long::sum);
                    holders.add(Long.toString(timeline.attribute(row, Attribute.OTHER_THREAD)));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    void forkedChildAndReplacedProgramAreRead(Interpreters.Interpreter interpreter) throws Exception {
        String script = SCRIPTS.resolve("family.py").toAbsolutePath().toString();
        QuietMachine.judge(folder, attempt -> assertInnermost(start(interpreter.start(script)), 2, attempt));
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    void codeInASubInterpreterIsSeen(Interpreters.Interpreter interpreter) throws Exception {
        String script = SCRIPTS.resolve("inner.py").toString();
        QuietMachine.judge(folder, attempt -> assertInnermost(start(interpreter.start(script)), 1, attempt));
    }

    /** Each thread that the program names must be in the function that it names. */
    private void assertInnermost(Process program, int threads, Path folder) throws Exception {
        Map<String, List<String>> expected = new HashMap<>();
        StackSamples samples = StackSamples.of(program, folder, 100, () -> {
            expected.putAll(StackSamples.awaitReady(program));
            Thread.sleep(500);
        });
        assertThat(expected).hasSize(threads);
        Map<String, List<String>> last = samples.last();
        expected.forEach((thread, words) -> {
            List<String> stack = last.get(thread);
            assertThat(stack).as("thread %s among %s", thread, last).isNotNull();
            assertThat(stack.get(stack.size() - 1)).endsWith(": " + words.get(0));
        });
    }

    private Process start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        started.add(process);
        return process;
    }
}
