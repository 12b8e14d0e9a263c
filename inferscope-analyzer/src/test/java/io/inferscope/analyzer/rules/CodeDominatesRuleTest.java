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

class CodeDominatesRuleTest {
    private static Verdict evaluate(int us) {
        TimelineFixture timeline = TimelineFixture.blank()
                .state("main", 0, us, us, 0, WaitReason.UNKNOWN)
                .state("main", us, 100, 0, 0, WaitReason.SOCKET)
                .sample("main", 0, us / 3, "main [serve]", "step [serve]", "parse [serve]", "scan [serve]")
                .sample("main", us / 3, 2 * us / 3, "main [serve]", "step [serve]", "parse [serve]", "build [serve]")
                .sample("main", 2 * us / 3, us, "main [serve]", "step [serve]", "sin [serve]");
        return new CodeDominatesRule().evaluate(Analysis.of(timeline.build(), Thresholds.defaults()));
    }

    @Test
    void namesTheCallThatHasHalfOfTheTimeHoweverManyFunctionsShareIt() {
        Finding finding = ((Verdict.Found) evaluate(60)).finding();

        assertThat(finding.claim()).isEqualTo("The program's own code takes 60.0 us, 60.0% of the window.");
        assertThat(finding.costNs()).isEqualTo(us(60));
        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("with what it calls", "parse [serve]", us(40), 2));
    }

    @Test
    void littleOfItIsClean() {
        assertThat(evaluate(15)).isInstanceOf(Verdict.Clean.class);
    }

    @Test
    void withoutHostActivityItDoesNotApply() {
        assertThat(new CodeDominatesRule().info().needs()).containsExactly(Needs.HOST_ACTIVITY);
    }
}
