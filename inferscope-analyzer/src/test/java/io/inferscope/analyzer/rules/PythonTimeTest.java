package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class PythonTimeTest {
    private final Rule rule = HostClassesRule.PYTHON;

    @Test
    void namesTheFunctionsThatTheGpuWaitsFor() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LL........"app.py(12): pick"LL
                stream 7     ..KKKKKKKK....................KKKKKKKKKK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("The program's own Python code takes 18.0 us,"
                        + " 45.0% of the window. Python functions were recorded one by one,"
                        + " which makes them look slower than they are.");
        assertThat(finding.costNs()).isEqualTo(us(18));
        assertThat(finding.share()).isEqualTo(0.45, within(1e-9));
        assertThat(finding.of()).isEqualTo("window of device 0");
        assertThat(finding.advice()).contains("vectorise");
        assertThat(finding.evidence()).containsExactly(new Evidence.Place("Python", "app.py:12 pick", us(18), 1));
    }

    /** A line that reads a result waits for the GPU, and py-spy without {@code --native} shows the line alone. */
    @Test
    void stacksOfPythonAloneHideTheNativeCodeThatALineCalls() {
        String hidden = "The stacks have no native frames: a line's time holds that of the native code it calls";

        assertThat(found(rule, TimelineFixture.blank().sample("main", 0, 100, "train.py(286): step"))
                        .claim())
                .contains(hidden);
        assertThat(found(
                                rule,
                                TimelineFixture.blank()
                                        .sample("main", 0, 60, "train.py(286): step")
                                        .sample(
                                                "main",
                                                60,
                                                100,
                                                "train.py(9): step",
                                                "at::native::add [libtorch_cpu.so]"))
                        .claim())
                .doesNotContain(hidden);
    }

    @Test
    void scopesThatSayNothingElseArePython() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [beams of app.py ][generate           ]
                """);

        assertThat(finding.claim()).isEqualTo("The program's own Python code takes 18.0 us," + " 46.2% of the window.");
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("Python, wall time", "beams of app.py", us(18), 1));
    }

    /** A range before the steady state, whose 900 us are more than those of the range inside it. */
    @Test
    void scopesCountAsFarAsTheyAreInTheSteadyState() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 900, "read catalogue.py");
        for (int us = 900; us < 1_500; us += 30) {
            fixture.scope("main", us, us + 25, "beams of app.py")
                    .scope("main", us + 3, us + 5, "read catalogue.py")
                    .scope("main", us + 25, us + 30, "forward Model")
                    .activity(RangeActivity.MODEL);
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.of()).startsWith("steady state");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("Python, wall time", "beams of app.py", us(19 * 23), 19),
                        new Evidence.Place("Python, wall time", "read catalogue.py", us(19 * 2), 19));
    }

    @Test
    void pythonFunctionsAreEvidenceWhereThereAreNoScopes() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  "app.py(12): pick"<aten::addmm       >
                """);

        assertThat(finding.evidence()).containsExactly(new Evidence.Place("Python", "app.py:12 pick", us(18), 1));
    }

    /** A profiler's line is where the function begins: what it calls there says more. */
    @Test
    void aBuiltInThatTakesMostOfAFunctionIsNamed() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .python("main", 0, 40, "app.py(12): pack")
                        .python("main", 5, 35, "<built-in method compress of zlib.Compress object at 0x7f>"));

        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place(
                        "Python, mostly in <built-in method compress of zlib.Compress>", "app.py:12 pack", us(40), 1));
    }

    /** The time of ranges that no function surrounds is not that of a small function elsewhere. */
    @Test
    void scopesAreEvidenceWhereFunctionsTakeLittle() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [choose beams of a.py     ]"a.py(1): f"
                """);

        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("Python, wall time", "choose beams of a.py", us(27), 1));
    }

    @Test
    void pythonThatLaunchesInTimeIsClean() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  LL"app.py(12): pick"LL
                        stream 7     ..KKKKKKKKKKKKKKKKKKKKKKkkkkkkkkkkkkkkkkkk
                        links in order
                        """)).isEqualTo("the program's own Python takes 0.0% of the window");
    }
}
