package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Advice.Figure;
import io.inferscope.timeline.RowKind;
import java.util.List;

/** Reports many copies per step. */
final class CopiesPerStepRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Steps steps = Steps.judged(analysis);
        long in = steps.count(analysis, analysis.rows(RowKind.MEMCPY_H2D), row -> true)
                .median();
        long out = steps.count(analysis, analysis.rows(RowKind.MEMCPY_D2H), row -> true)
                .median();
        if (Math.max(in, out) <= limit(analysis, "copies")) {
            return Verdict.clean(in + " copies to the device and " + out + " back in a step");
        }
        Ledger ledger = analysis.ledger();
        long costNs = ledger.ns(LedgerClass.COPY_H2D) + ledger.ns(LedgerClass.COPY_D2H);
        CopyDirection direction = in >= out ? CopyDirection.H2D : CopyDirection.D2H;
        List<CopyFigures> copies = CopyEvidence.of(analysis, direction);
        long count = CopyEvidence.count(copies);
        long sizeBytes = CopyEvidence.bytes(copies);
        FindingBuilder finding = finding(ledger, costNs).severity(Severity.INFO);
        if (count > 0) {
            finding.evidence(CopyEvidence.longest(analysis, direction, null));
        }
        return Verdict.found(finding.measure("in", Units.count(in))
                .measure("out", Units.count(out))
                .measure("direction", direction.id())
                .measure("size", Units.bytes(count == 0 ? 0 : sizeBytes / count))
                .quantity("copies to the device per step, median", in, "count")
                .quantity("copies to the host per step, median", out, "count")
                .figure(Figure.COPY_BYTES, count == 0 ? 0 : (double) sizeBytes / count)
                .advice(analysis)
                .noGainByItself("what is waited for is in the other findings"));
    }
}
