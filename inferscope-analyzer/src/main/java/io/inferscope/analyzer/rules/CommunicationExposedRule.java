package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.collectives.Collectives;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import java.util.List;
import java.util.Set;

/** Reports communication kernels under no compute. Basis and threshold: docs/rules/communication-exposed.md. */
final class CommunicationExposedRule implements Rule {
    private static final Threshold SHARE = Threshold.share("communication-exposed", 0.05);

    @Override
    public RuleInfo info() {
        return new RuleInfo("communication-exposed", "Communication that no compute hides", Set.of(Needs.DEVICE_WORK))
                .limits(SHARE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = analysis.ledger();
        long costNs = ledger.ns(LedgerClass.GPU_COMMUNICATION);
        String device = analysis.headline().orElseThrow().id();
        List<KernelFigures> kernels = Tables.of(analysis).kernels().stream()
                .filter(k -> k.communication() && k.device().equals(device))
                .toList();
        if (costNs == 0 && kernels.isEmpty()) {
            return new Verdict.NotApplicable("no communication kernel is recorded");
        }
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean(
                    "communication under no compute takes " + Units.percent(ledger.share(costNs)) + " of the span");
        }
        if (Collectives.of(analysis).isMostlyWaiting(analysis.headline().orElseThrow())) {
            return Verdict.clean("most of it is waiting for the last GPU to arrive: see late-rank");
        }
        FindingBuilder finding = FindingBuilder.of("communication-exposed", ledger, costNs)
                .claim("Communication that no compute hides takes {cost}, {share} of the {part}.");
        kernels.stream().limit(3).forEach(finding::kernel);
        return Verdict.found(finding.advice(Advice.against(LedgerClass.GPU_COMMUNICATION, analysis))
                .hides(analysis, LedgerClass.GPU_COMMUNICATION));
    }
}
