package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Set;

/** Reports native code of libraries that is waited for. Basis and threshold: docs/rules/native-dominates.md. */
final class NativeDominatesRule implements Rule {
    private static final Threshold SHARE = Threshold.share("native-dominates", 0.20);
    private static final List<LedgerClass> CLASSES = List.of(LedgerClass.CPU_NATIVE);

    @Override
    public RuleInfo info() {
        return new RuleInfo("native-dominates", "Native code of libraries is waited for", Set.of(Needs.HOST_ACTIVITY))
                .limits(SHARE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = HostShare.judged(analysis);
        long costNs = HostShare.ns(ledger, CLASSES);
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("native code of libraries takes " + Units.percent(ledger.share(costNs)) + " of the "
                    + ledger.partName());
        }
        FindingBuilder finding = FindingBuilder.of("native-dominates", ledger, costNs)
                .claim("Native code of libraries takes {cost}, {share} of the {part}.");
        HostShare.places(finding, analysis, CLASSES);
        HostShare.nativeFunctions(finding, analysis, CLASSES);
        return Verdict.found(finding.advice(Advice.against(LedgerClass.CPU_NATIVE, analysis))
                .saves(analysis, CLASSES, "none of it is waited for"));
    }
}
