package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.time;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class PythonDominatesRuleTest {
    private final Rule rule = new PythonDominatesRule();

    @Test
    void namesTheFunctionsThatTheGpuWaitsFor() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LL........"app.py(12): pick"LL
                stream 7     ..KKKKKKKK....................KKKKKKKKKK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("The program's own Python code, tokenization and preprocessing aside, takes 18.0 us,"
                        + " 45.0% of the window. Python functions were recorded one by one,"
                        + " which makes them look slower than they are.");
        assertThat(finding.costNs()).isEqualTo(us(18));
        assertThat(finding.share()).isEqualTo(0.45, within(1e-9));
        assertThat(finding.of()).isEqualTo("window of device 0");
        assertThat(finding.advice()).contains("vectorise");
        assertThat(finding.evidence()).containsExactly(new Evidence.Place("Python", "app.py:12 pick", us(18), 1));
    }

    @Test
    void scopesThatSayNothingElseArePython() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [choose beams    ][generate           ]
                """);

        assertThat(finding.claim())
                .isEqualTo("The program's own Python code, tokenization and preprocessing aside, takes 18.0 us,"
                        + " 46.2% of the window.");
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("Python, wall time", "choose beams", us(18), 1));
    }

    @Test
    void pythonFunctionsAreEvidenceWhereThereAreNoScopes() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  "app.py(12): pick"<aten::addmm       >
                """);

        assertThat(finding.evidence()).containsExactly(time("Python of thread main", us(18)));
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
