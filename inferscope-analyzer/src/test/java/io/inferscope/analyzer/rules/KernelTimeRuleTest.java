package io.inferscope.analyzer.rules;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class KernelTimeRuleTest {
    private static Verdict evaluate(int us) {
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 100 - us, "a.py(7): step", "_PyEval_EvalFrameDefault [libpython3.11.so.1.0]")
                .sample("main", 100 - us, 100, "a.py(3): pack", "__x64_sys_execve [kernel]", "copy_pte_range [kernel]");
        return new KernelTimeRule().evaluate(Analysis.of(timeline.build(), Thresholds.defaults()));
    }

    @Test
    void namesTheFunctionAndTheLineThatCallsIt() {
        Finding finding = ((Verdict.Found) evaluate(30)).finding();

        assertThat(finding.claim())
                .isEqualTo(
                        "The operating system's kernel works 30.0 us for the critical thread, 30.0% of the window, without page faults and file I/O.");
        assertThat(finding.costNs()).isEqualTo(us(30));
        assertThat(finding.evidence()).contains(new Evidence.Place("sampled in", "copy_pte_range [kernel]", us(30), 1));
        assertThat(finding.evidence().toString()).contains("a.py:3 pack");
    }

    @Test
    void littleOfItIsClean() {
        assertThat(evaluate(5)).isInstanceOf(Verdict.Clean.class);
    }

    @Test
    void withoutHostActivityItDoesNotApply() {
        assertThat(new KernelTimeRule().info().needs()).containsExactly(Needs.HOST_ACTIVITY);
    }
}
