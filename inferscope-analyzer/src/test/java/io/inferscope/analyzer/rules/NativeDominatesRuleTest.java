package io.inferscope.analyzer.rules;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class NativeDominatesRuleTest {
    private static Verdict evaluate(int us) {
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 100 - us, "a.py(7): step", "_PyEval_EvalFrameDefault [libpython3.11.so.1.0]")
                .sample("main", 100 - us, 100, "a.py(3): pack", "compress [liblzma.so.5]");
        return new NativeDominatesRule().evaluate(Analysis.of(timeline.build(), Thresholds.defaults()));
    }

    @Test
    void namesTheFunctionAndTheLineThatCallsIt() {
        Finding finding = ((Verdict.Found) evaluate(30)).finding();

        assertThat(finding.claim()).isEqualTo("Native code of libraries takes 30.0 us, 30.0% of the window.");
        assertThat(finding.costNs()).isEqualTo(us(30));
        assertThat(finding.evidence()).contains(new Evidence.Place("sampled in", "compress [liblzma.so.5]", us(30), 1));
        assertThat(finding.evidence().get(0).toString()).contains("a.py:3 pack");
    }

    @Test
    void addsPythonOfPackagesThatAreNotTheModels() {
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 40, "a.py(7): step", "_PyEval_EvalFrameDefault [libpython3.11.so.1.0]")
                .sample(
                        "main",
                        40,
                        60,
                        "a.py(3): rows",
                        "/v/lib/python3.11/site-packages/pandas/core/frame.py(9): clip",
                        "_PyType_Lookup [libpython3.11.so.1.0]")
                .sample("main", 60, 70, "a.py(4): rows", "called pandas._libs.lib.x [lib.cpython-311.so]");
        Finding finding = ((Verdict.Found)
                        new NativeDominatesRule().evaluate(Analysis.of(timeline.build(), Thresholds.defaults())))
                .finding();

        assertThat(finding.claim())
                .isEqualTo(
                        "Code of libraries takes 30.0 us, 42.9% of the window: 10.0 us in native code, 20.0 us in Python.");
        assertThat(finding.evidence().get(0).toString())
                .contains(
                        "Python code of libraries and native code of libraries, at lines 3 (20.0 us), 4 (10.0 us)",
                        "a.py:3 rows");
        assertThat(finding.causes()).containsExactlyInAnyOrder(LedgerClass.CPU_NATIVE, LedgerClass.LIBRARY_PYTHON);
        assertThat(finding.evidence()).noneMatch(one -> one.toString().contains("_PyType"));
    }

    @Test
    void littleOfItIsClean() {
        assertThat(evaluate(5)).isInstanceOf(Verdict.Clean.class);
    }

    @Test
    void withoutHostActivityItDoesNotApply() {
        assertThat(new NativeDominatesRule().info().needs()).containsExactly(Needs.HOST_ACTIVITY);
    }
}
