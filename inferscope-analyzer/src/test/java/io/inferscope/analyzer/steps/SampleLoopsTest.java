package io.inferscope.analyzer.steps;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The steady state of a program of which only stack samples are known. */
class SampleLoopsTest {
    private static final int EACH_US = 10_000;
    private static final String IMPORT = "<frozen importlib._bootstrap>(241): _call_with_frames_removed";

    /** One sample each 10 ms, with these frames. */
    private static Phases phases(List<String[]> stacks) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < stacks.size(); i++) {
            fixture.sample("main", i * EACH_US, (i + 1) * EACH_US, stacks.get(i));
        }
        return Analysis.of(fixture.build(), Thresholds.defaults()).phases();
    }

    private static String[] at(int line) {
        return new String[] {"serve.py(" + line + "): <module>"};
    }

    private static List<String[]> repeated(int times, String[]... stacks) {
        List<String[]> all = new ArrayList<>();
        IntStream.range(0, times).forEach(i -> all.addAll(List.of(stacks)));
        return all;
    }

    private static List<String[]> after(List<String[]> first, List<String[]> then) {
        List<String[]> all = new ArrayList<>(first);
        all.addAll(then);
        return all;
    }

    private static final List<String[]> IMPORTS = repeated(40, new String[] {"serve.py(2): <module>", IMPORT});

    @Test
    void linesThatRecurAreTheSteadyState() {
        List<String[]> loop = repeated(30, at(14), at(15), at(15), at(17));
        Phases found = phases(after(after(IMPORTS, repeated(1, at(5), at(9))), after(loop, repeated(3, at(20)))));

        assertThat(found.steadyState()).hasValueSatisfying(steady -> {
            assertThat(steady.startNs()).isEqualTo(us(42 * EACH_US));
            assertThat(steady.endNs()).isEqualTo(us(162 * EACH_US));
        });
        assertThat(found.evidence())
                .isEqualTo(
                        "Steady state: serve.py:14-17 <module>, lines that recur in stack samples; single rounds were"
                                + " not recorded.");
        assertThat(found.phases().get(0).kind()).isEqualTo(PhaseKind.LOAD);
        assertThat(found.phases().get(0).evidence()).isEqualTo("before the loop; loading takes 400 ms of it");
        assertThat(found.phases().get(2).kind()).isEqualTo(PhaseKind.AFTER);
        assertThat(found.steps()).isEmpty();
    }

    @Test
    void codeThatNoLineCallsIsLeftOut() {
        List<String[]> loop = repeated(30, at(14), at(15), at(15), at(17));
        List<String[]> end = repeated(40, new String[] {"gc_collect_main [libpython3.11.so.1.0]"});
        Phases found = phases(after(IMPORTS, after(loop, end)));

        assertThat(found.evidence()).contains("serve.py:14-17 <module>");
        assertThat(found.steadyState())
                .hasValueSatisfying(steady -> assertThat(steady.endNs()).isEqualTo(us(160 * EACH_US)));
    }

    @Test
    void theLoopMayLieInAFunctionAndBeOneLine() {
        List<String[]> loop = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            String step = "serve.py(" + (i % 3 == 0 ? 30 : 31) + "): step";
            loop.add(new String[] {"serve.py(60): <module>", "serve.py(50): main", step});
        }
        Phases found = phases(after(IMPORTS, loop));

        assertThat(found.evidence()).contains("serve.py:30-31 step");
        assertThat(found.steadyState())
                .hasValueSatisfying(steady -> assertThat(steady.startNs()).isEqualTo(us(40 * EACH_US)));
    }

    /** {@code for ...: model(next(batches))}: the line calls two functions in turns. */
    @Test
    void aLineThatCallsTwoFunctionsInTurnsIsALoop() {
        List<String[]> loop = repeated(
                30,
                new String[] {"serve.py(56): main", "loader.py(9): __next__", "serve.py(26): decode"},
                new String[] {"serve.py(56): main", "module.py(1778): __call__", "linear.py(134): forward"},
                new String[] {"serve.py(56): main", "module.py(1778): __call__", "relu.py(3): forward"});
        Phases found = phases(after(IMPORTS, after(repeated(5, new String[] {"serve.py(40): main"}), loop)));

        assertThat(found.evidence()).contains("serve.py:56 main");
        assertThat(found.steadyState())
                .hasValueSatisfying(steady -> assertThat(steady.startNs()).isEqualTo(us(45 * EACH_US)));
    }

    /** It is executed once, and calls one after the other. */
    @Test
    void aLineThatCallsTwoFunctionsOnceIsNoLoop() {
        List<String[]> stacks = after(
                repeated(60, new String[] {"serve.py(56): main", "load.py(9): read"}),
                repeated(60, new String[] {"serve.py(56): main", "run.py(7): run"}));

        assertThat(phases(stacks).phases()).isEmpty();
    }

    /** A first round of a second before rounds of 40 ms. */
    @Test
    void slowRoundsBeforeAreWarmUp() {
        List<String[]> slow = after(repeated(1, at(14)), repeated(100, at(15)));
        Phases found = phases(after(slow, repeated(40, at(14), at(15), at(15), at(17))));

        assertThat(found.phases().stream().map(Phases.Phase::kind))
                .containsExactly(PhaseKind.WARM_UP, PhaseKind.STEADY_STATE);
        assertThat(found.phases().get(0).evidence()).isEqualTo("before the time between returns to a line settles");
        assertThat(found.phases().get(1).stretch().startNs()).isEqualTo(us(101 * EACH_US));
    }

    /** Neither is the program's loop: both are judged. */
    @Test
    void twoLoopsMakeNoSteadyState() {
        List<String[]> stacks = after(repeated(30, at(4), at(5)), repeated(40, at(14), at(15)));

        assertThat(phases(stacks).phases()).isEmpty();
    }

    @Test
    void linesOneAfterTheOtherAreNoLoop() {
        List<String[]> stacks =
                IntStream.range(0, 200).mapToObj(line -> at(10 + line)).toList();

        assertThat(phases(stacks).phases()).isEmpty();
    }

    /** The other half of the time is no loop, and part of the program. */
    @Test
    void aLoopOfLessThanHalfOfTheTimeIsNotTheProgram() {
        List<String[]> stacks = after(repeated(100, at(5)), repeated(45, at(14), at(15)));

        assertThat(phases(stacks).phases()).isEmpty();
    }

    /** What is served in a line of its own, behind the loop that prepares, is no less the program's work. */
    @Test
    void workBehindTheLoopMakesItNotTheProgram() {
        List<String[]> prepare =
                repeated(30, new String[] {"serve.py(50): main", "serve.py(14): prepare"}, new String[] {
                    "serve.py(50): main", "serve.py(15): prepare"
                });
        List<String[]> serve = repeated(35, new String[] {"serve.py(51): main", "serve.py(30): forward"});

        assertThat(phases(after(prepare, serve)).phases()).isEmpty();
    }

    /** The end of a {@code with} block returns to its first line once: start-up inside it is no part of the loop. */
    @Test
    void oneReturnJoinsNoLines() {
        List<String[]> start = after(repeated(3, at(8)), repeated(40, at(9)));
        List<String[]> loop = repeated(40, at(12), at(13));
        Phases found = phases(after(after(start, loop), repeated(2, at(8))));

        assertThat(found.evidence()).contains("serve.py:12-13 <module>");
        assertThat(found.steadyState())
                .hasValueSatisfying(steady -> assertThat(steady.startNs()).isEqualTo(us(43 * EACH_US)));
    }

    @Test
    void aLoopOfAFifthOfTheRecordingAtLeastIsJudged() {
        assertThat(phases(after(IMPORTS, repeated(4, at(12), at(13)))).phases()).isEmpty();
    }
}
