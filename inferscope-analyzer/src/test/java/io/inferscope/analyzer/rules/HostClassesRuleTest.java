package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HostClassesRuleTest {
    private static Verdict sampled(Rule rule, int us, String... frames) {
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 100 - us, "a.py(7): step", "_PyEval_EvalFrameDefault [libpython3.11.so.1.0]")
                .sample("main", 100 - us, 100, frames);
        return rule.evaluate(Analysis.of(timeline.build(), Thresholds.defaults()));
    }

    /** The rules about native code, what they find it in, and what they claim of 30 us. */
    static Stream<Arguments> sampled() {
        return Stream.of(
                Arguments.of(
                        HostClassesRule.KERNEL,
                        List.of("a.py(3): pack", "__x64_sys_execve [kernel]", "copy_pte_range [kernel]"),
                        "The operating system's kernel works 30.0 us for the critical thread, 30.0% of the window, without page faults and file I/O."),
                Arguments.of(
                        HostClassesRule.LIBRARIES,
                        List.of("a.py(3): pack", "compress [liblzma.so.5]"),
                        "Native code of libraries takes 30.0 us, 30.0% of the window."));
    }

    @ParameterizedTest
    @MethodSource("sampled")
    void namesTheFunctionAndTheLineThatCallsIt(Rule rule, List<String> frames, String claim) {
        String[] stack = frames.toArray(String[]::new);
        Finding finding = ((Verdict.Found) sampled(rule, 30, stack)).finding();

        assertThat(finding.claim()).isEqualTo(claim);
        assertThat(finding.costNs()).isEqualTo(us(30));
        assertThat(finding.evidence()).contains(new Evidence.Place("sampled in", stack[stack.length - 1], us(30), 1));
        assertThat(finding.evidence().get(0).toString()).contains("a.py:3 pack");
        assertThat(sampled(rule, 5, stack)).isInstanceOf(Verdict.Clean.class);
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
                        HostClassesRule.LIBRARIES.evaluate(Analysis.of(timeline.build(), Thresholds.defaults())))
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
    void detokenisingAndCopiesBackAddUp() {
        Finding finding = found(HostClassesRule.OUTPUT, """
                us           0         10        20        30        40
                thread main  LL........[detokenize        ]LL
                stream 7     ..KKKKDDDD....................KKKKKKKKKK
                links 0-0 1-2
                """);

        assertThat(finding.costNs()).isEqualTo(us(24));
        assertThat(finding.claim()).contains("20.0 us in detokenising", "4.00 us in copies");
    }

    @Test
    void resultsThatLeaveMeanwhileAreClean() {
        assertThat(clean(HostClassesRule.OUTPUT, """
                        us           0         10        20        30        40
                        thread main  LL..[detokenize        ]
                        stream 7     ..KKKKKKKKKKKKKKKKKKKKKKKKKK
                        links in order
                        """))
                .isEqualTo("detokenising, serialising and copying results take 0.0% of the window");
    }

    @Test
    void modulesThatCallModulesAroundSmallOperatorsAreAFinding() {
        Finding finding = found(HostClassesRule.FRAMEWORK, """
                us           0         10        20        30        40
                thread main  "torch/nn/modules/module.py(9): c"<aten::mm>
                """);

        assertThat(finding.claim())
                .startsWith("The framework's own Python, dispatching and allocating take 34.0 us,")
                .endsWith("of computing: each call of the model has too little to do.");
        assertThat(finding.costNs()).isEqualTo(us(34));
        assertThat(finding.share()).isEqualTo(34.0 / 44, within(1e-9));
        assertThat(finding.causes()).contains(LedgerClass.FRAMEWORK_PYTHON);
        assertThat(finding.advice()).contains("a larger batch");
        assertThat(finding.noGainBecause()).contains("only a run shows");
    }

    /** Where computing takes longer, a larger batch gains little: measured on an encoder of 256 wide, 2 rows and 4. */
    @Test
    void aFrameworkThatCostsLessThanTheOperatorsIsANote() {
        Finding finding = found(HostClassesRule.FRAMEWORK, """
                us           0         10        20        30        40        50        60        70
                thread main  "torch/nn/modules/module.py(9): c"<aten::mm                                >
                """);

        assertThat(finding.claim()).contains(", beside ").doesNotContain("too little to do");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void withoutPyTorchTheAdviceIsNotPyTorchs() {
        Finding finding = found(
                HostClassesRule.FRAMEWORK,
                TimelineFixture.blank()
                        .property("process.1.runtime", "CPython 3.11.7")
                        .state("main", 0, 100, 100, 0, WaitReason.UNKNOWN)
                        .sample(
                                "main",
                                0,
                                100,
                                "app.py(9): post",
                                "/x/site-packages/jax/_src/array.py(3): __getitem__"));

        assertThat(finding.advice()).contains("jax.jit", "numpy.asarray").doesNotContain("torch");
    }

    @Test
    void theProgramsOwnPythonIsNotTheFrameworks() {
        assertThat(clean(HostClassesRule.FRAMEWORK, """
                us           0         10        20        30        40
                thread main  "app.py(12): pick           "<aten::addmm>
                """))
                .isEqualTo("the framework's own Python, dispatching and allocating take 0.0% of the window");
    }

    @Test
    void withADeviceLaunchingIsLookedAt() {
        assertThat(notApplicable(HostClassesRule.FRAMEWORK, """
                us           0         10        20        30        40
                thread main  LL"torch/nn/modules/module.py(9): c"LL
                stream 7     ..KK..............................KKKK
                links in order
                """))
                .isEqualTo("the model runs on a device: launch-bound looks at what its framework takes");
    }

    /** What a request holds is parsed before anything is computed: no result waits for that. */
    @Test
    void parsingWhatCameInIsNoOutput() {
        String body = "/app/serve.py(7): parse";
        assertThat(clean(HostClassesRule.OUTPUT, serialises(body, "/usr/lib/python3.11/json/__init__.py(299): loads")))
                .isEqualTo("most of what serialisation takes is for input");
        assertThat(found(HostClassesRule.OUTPUT, serialises(body, "/usr/lib/python3.11/json/__init__.py(183): dumps"))
                        .costNs())
                .isEqualTo(us(300));
    }

    private static TimelineFixture serialises(String... stack) {
        return TimelineFixture.blank()
                .sample("main", 0, 300, stack)
                .sample("main", 300, 1000, "/app/serve.py(9): answer", "at::native::linear [libtorch_cpu.so]");
    }
}
