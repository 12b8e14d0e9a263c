package io.inferscope.analyzer.rules;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodeTest {
    private static Verdict evaluate(int us) {
        TimelineFixture timeline = TimelineFixture.blank()
                .state("main", 0, us, us, 0, WaitReason.UNKNOWN)
                .state("main", us, 100, 0, 0, WaitReason.SOCKET)
                .sample("main", 0, us / 3, "main [serve]", "step [serve]", "parse [serve]", "scan [serve]")
                .sample("main", us / 3, 2 * us / 3, "main [serve]", "step [serve]", "parse [serve]", "build [serve]")
                .sample("main", 2 * us / 3, us, "main [serve]", "step [serve]", "sin [serve]");
        return HostClassesRule.CODE.evaluate(Analysis.of(timeline.build(), Thresholds.defaults()));
    }

    @Test
    void namesTheCallThatHasHalfOfTheTimeHoweverManyFunctionsShareIt() {
        Finding finding = ((Verdict.Found) evaluate(60)).finding();

        assertThat(finding.claim()).isEqualTo("The program's own code takes 60.0 us, 60.0% of the window.");
        assertThat(finding.costNs()).isEqualTo(us(60));
        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("with what it calls", "parse [serve]", us(40), 2));
    }

    /** Half of the time is spread over two functions of the C library, called by one of the program's. */
    @Test
    void functionsThatAllocateAndFreeAreNotNamedInPlaceOfTheProgramsOwn() {
        Finding finding = RuleVerdicts.found(
                HostClassesRule.CODE,
                TimelineFixture.blank()
                        .state("main", 0, 100, 100, 0, WaitReason.UNKNOWN)
                        .sample(
                                "main",
                                0,
                                10,
                                "a.cpp(3): main [serve]",
                                "a.cpp(9): build [serve]",
                                "malloc [libc.so.6]")
                        .sample(
                                "main",
                                10,
                                70,
                                "a.cpp(3): main [serve]",
                                "a.cpp(9): build [serve]",
                                "/usr/include/c++/12/bits/new_allocator.h(158): deallocate [serve]",
                                "cfree [libc.so.6]")
                        .sample("main", 70, 100, "a.cpp(3): main [serve]", "a.cpp(12): score [serve]"));

        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("with what it calls", "build [serve]", us(70), 2));
    }

    /** A native stack lasts until the next one, however long the thread sleeps in between. */
    @Test
    void aFunctionHasTheTimeThatItsThreadWasOnACpu() {
        Finding finding = RuleVerdicts.found(
                HostClassesRule.CODE,
                TimelineFixture.blank()
                        .state("main", 0, 30, 30, 0, WaitReason.UNKNOWN)
                        .state("main", 30, 100, 0, 0, WaitReason.TIMER)
                        .sample("main", 0, 100, "main [serve]", "score [serve]"));

        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("with what it calls", "score [serve]", us(30), 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "main [serve] > score [serve]    | Make the hottest lines",
                "[1000] [serve] > [2000] [serve] | Functions of `serve` have no names here: build it with `-g`, do not strip it, and record again. Make",
                "[1000] [node] > [generated code] [jit] | Functions that were compiled while the program ran have no names here: start `node` with `--perf-basic-prof --interpreted-frames-native-stack`",
                "[1000] [host] > [generated code] [jit] | Functions that were compiled while the program ran have no names here: let the engine write `/tmp/perf-PID.map`",
            })
    void functionsWithoutNamesHaveAdvice(String stack, String advice) {
        Finding finding = RuleVerdicts.found(
                HostClassesRule.CODE,
                TimelineFixture.blank()
                        .state("main", 0, 100, 100, 0, WaitReason.UNKNOWN)
                        .sample("main", 0, 30, stack.split(" > "))
                        .sample(
                                "main",
                                30,
                                100,
                                stack.contains("jit") ? stack.split(" > ") : new String[] {"main [serve]"}));

        assertThat(finding.advice()).startsWith(advice);
    }

    @Test
    void littleOfItIsClean() {
        assertThat(evaluate(15)).isInstanceOf(Verdict.Clean.class);
    }
}
