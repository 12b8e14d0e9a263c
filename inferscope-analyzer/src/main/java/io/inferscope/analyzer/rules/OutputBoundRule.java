package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Set;

/** Reports results that hold up the program on their way out. Basis and threshold: docs/rules/output-bound.md. */
final class OutputBoundRule implements Rule {
    private static final Threshold SHARE = Threshold.share("output-bound", 0.05);

    private static final List<LedgerClass> CLASSES = List.of(LedgerClass.CPU_SERIALIZATION, LedgerClass.COPY_D2H);

    @Override
    public RuleInfo info() {
        return new RuleInfo("output-bound", "Results hold the program up on their way out", Set.of(Needs.HOST_ACTIVITY))
                .refining("preprocessing-dominates", "exposed-d2h")
                .limits(SHARE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = HostShare.judged(analysis);
        long costNs = HostShare.ns(ledger, CLASSES);
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("detokenising, serialising and copying results take "
                    + Units.percent(ledger.share(costNs)) + " of the " + ledger.partName());
        }
        FindingBuilder finding = FindingBuilder.of("output-bound", ledger, costNs)
                .measure("serialisation", Units.duration(ledger.ns(LedgerClass.CPU_SERIALIZATION)))
                .measure("copies", Units.duration(ledger.ns(LedgerClass.COPY_D2H)))
                .claim(
                        "Results hold the program up for {cost}, {share} of the {part}: {serialisation} in detokenising and serialising, {copies} in copies to the host that nothing hides.")
                .evidence(new Evidence.Quantity(
                        "detokenising and serialising", ledger.ns(LedgerClass.CPU_SERIALIZATION), "ns"))
                .evidence(new Evidence.Quantity("copies to the host", ledger.ns(LedgerClass.COPY_D2H), "ns"));
        return Verdict.found(HostShare.places(finding, analysis, CLASSES)
                .advice(Advice.against(LedgerClass.CPU_SERIALIZATION, analysis))
                .saves(analysis, CLASSES, "results leave while the model computes"));
    }
}
