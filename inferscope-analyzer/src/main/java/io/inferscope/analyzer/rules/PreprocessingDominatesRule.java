package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Reports tokenization, preprocessing and serialisation that is waited for. Basis and threshold: docs/rules/preprocessing-dominates.md. */
final class PreprocessingDominatesRule implements Rule {
    private static final Threshold SHARE = Threshold.share("preprocessing-dominates", 0.15);

    private static final List<LedgerClass> CLASSES =
            List.of(LedgerClass.CPU_TOKENIZATION, LedgerClass.CPU_PREPROCESSING, LedgerClass.CPU_SERIALIZATION);

    @Override
    public RuleInfo info() {
        return new RuleInfo(
                        "preprocessing-dominates",
                        "Tokenization, preprocessing or serialisation is waited for",
                        Set.of(Needs.HOST_ACTIVITY))
                .refining("outside-span")
                .limits(SHARE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = HostShare.judged(analysis);
        long costNs = HostShare.ns(ledger, CLASSES);
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("preparing inputs and results takes " + Units.percent(ledger.share(costNs))
                    + " of the " + ledger.partName());
        }
        LedgerClass largest =
                CLASSES.stream().max(Comparator.comparingLong(ledger::ns)).orElseThrow();
        FindingBuilder finding = FindingBuilder.of("preprocessing-dominates", ledger, costNs)
                .measure("largest", largest.label())
                .measure("its part", Units.percent((double) ledger.ns(largest) / costNs))
                .claim(
                        "Preparing inputs and results takes {cost}, {share} of the {part}; {its part} of that is {largest}.");
        return Verdict.found(HostShare.places(finding, analysis, CLASSES)
                .advice(Advice.against(largest, analysis))
                .saves(analysis, CLASSES, "it happens while the model computes"));
    }
}
