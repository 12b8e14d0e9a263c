package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.fixture.SharedTraces;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Figures of real recordings of stacks, from the file to the report. The expected ones come from python3's json module. */
@Tag("traces")
class StackFormatsTest {
    @Test
    void theReportOfAPySpyFileSaysWhereTheTimeWent() throws Exception {
        Report report =
                new Analyzer().analyze(Formats.importers().load(SharedTraces.other("pyspy.speedscope.json")), "pyspy");
        Map<String, Long> functions = report.rows(Report.SAMPLED_FUNCTIONS).stream()
                .collect(Collectors.toMap(SampleFigures::place, SampleFigures::selfNs));
        Ledger steady = report.ledgers().get(0);
        Ledger ledger = report.ledgers().stream()
                .filter(l -> l.part() == LedgerPart.WINDOW)
                .findFirst()
                .orElseThrow();

        assertThat(functions)
                .containsEntry("zoo/z02_item_loop.py: penalise_itemwise", 380_000_000L)
                .containsEntry("torch/nn/modules/transformer.py: forward", 320_000_000L)
                .containsEntry("torch/nn/modules/linear.py: forward", 260_000_000L);
        assertThat(report.rows(Report.SAMPLED_FUNCTIONS).stream()
                        .mapToLong(SampleFigures::selfNs)
                        .max())
                .hasValue(380_000_000L);
        assertThat(report.rows(Report.SAMPLED_LINES).get(0).place()).isEqualTo("zoo/z02_item_loop.py:2 <module>");
        assertThat(ledger.durationNs()).isEqualTo(2_760_000_000L);
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(380_000_000L);
        assertThat(ledger.ns(LedgerClass.FRAMEWORK_PYTHON)).isEqualTo(80_000_000L);
        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(580_000_000L);
        assertThat(ledger.ns(LedgerClass.UNATTRIBUTED)).isZero();
        // The loop, lines 12 to 14 of the script, comes behind the imports.
        assertThat(steady.part()).isEqualTo(LedgerPart.STEADY_STATE);
        assertThat(steady.durationNs()).isEqualTo(840_000_000L);
        assertThat(steady.ns(LedgerClass.CPU_PYTHON)).isEqualTo(380_000_000L);
        assertThat(ledger.entries()).allMatch(Ledger.Entry::estimated);
        assertThat(report.verdict().bound()).isEqualTo(Bound.CPU);
        assertThat(report.trust())
                .filteredOn(c -> !c.passed())
                .singleElement()
                .satisfies(c -> assertThat(c.check()).isEqualTo("samples-carry-time"));
    }
}
