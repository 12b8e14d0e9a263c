package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class GraphBreaksRuleTest {
    private final Rule rule = new GraphBreaksRule();

    private static TimelineFixture compiled() {
        return TimelineFixture.blank()
                .scope("main", 0, 50, "torch.compile forward")
                .activity(RangeActivity.LOAD);
    }

    private static void breakAt(TimelineFixture fixture, double atUs, String detail) {
        fixture.scope("main", atUs, atUs + 1, "graph break")
                .activity(RangeActivity.LOAD)
                .text(Attribute.DETAIL, detail);
    }

    @Test
    void theProbesMarksTellPlacesAndReasons() {
        TimelineFixture fixture = compiled();
        breakAt(fixture, 10, "model.py:7 forward\nUnsupported Tensor.item() call");
        breakAt(fixture, 20, "model.py:7 forward\nUnsupported Tensor.item() call");
        breakAt(fixture, 30, "model.py:9 forward\nUnsupported print");

        Finding finding = found(rule, fixture);

        assertThat(finding.claim()).startsWith("torch.compile breaks the graph at 2 places:");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Quantity(
                                "graph break at model.py:7 forward: Unsupported Tensor.item() call", 2, "count"),
                        new Evidence.Quantity("graph break at model.py:9 forward: Unsupported print", 1, "count"));
    }

    @Test
    void besideMuchPythonItIsAWarning() {
        TimelineFixture fixture = compiled().python("main", 60, 100, "model.py(3): forward");
        breakAt(fixture, 10, "model.py:7 forward\nUnsupported Tensor.item() call");

        Finding finding = found(rule, fixture);

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.claim()).startsWith("torch.compile breaks the graph at one place:");
    }

    @Test
    void withoutTheProbeTheNamesOfResumedFunctionsTellThePlaces() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .python("main", 0, 9, "app/model.py(12): torch_dynamo_resume_in_forward_at_12")
                        .python("main", 10, 19, "app/model.py(13): torch_dynamo_resume_in_forward_at_12")
                        .sample(
                                "main",
                                20,
                                30,
                                "main.py:3 run",
                                "app/model.py:21 Net.torch_dynamo_resume_in_pick_at_20"));

        assertThat(finding.evidence())
                .extracting(Evidence::label)
                .containsExactly("graph break at app/model.py:12 forward", "graph break at app/model.py:20 pick");
    }

    /** The program's Python and the framework's have one id in a report. */
    @Test
    void pythonIsCountedOnce() {
        Ledger ledger = new Ledger.Builder()
                .add(LedgerClass.CPU_PYTHON, 20)
                .add(LedgerClass.FRAMEWORK_PYTHON, 10)
                .build("thread main", LedgerPart.WINDOW, 30);

        assertThat(HostShare.ns(ledger, List.of(LedgerClass.CPU_PYTHON, LedgerClass.FRAMEWORK_PYTHON)))
                .isEqualTo(30);
    }

    @Test
    void oneGraphIsClean() {
        assertThat(clean(rule, compiled())).isEqualTo("no graph break of torch.compile is recorded");
        assertThat(clean(rule, TimelineFixture.blank().operator("main", 0, 9, "Torch-Compiled Region: 0/0")))
                .isEqualTo("no graph break of torch.compile is recorded");
    }

    @Test
    void withoutCompiledCodeItDoesNotApply() {
        assertThat(notApplicable(rule, TimelineFixture.blank().scope("main", 0, 9, "work")))
                .isEqualTo("no code of torch.compile is recorded");
    }
}
