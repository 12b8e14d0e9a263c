package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Reports work of the kernel other than page faults and file I/O that is waited for. Basis and threshold: docs/rules/kernel-time.md. */
final class KernelTimeRule implements Rule {
    private static final Threshold SHARE = Threshold.share("kernel-time", 0.10);
    private static final List<LedgerClass> CLASSES = List.of(
            LedgerClass.KERNEL_PROCESS,
            LedgerClass.KERNEL_MEMORY,
            LedgerClass.KERNEL_NETWORK,
            LedgerClass.KERNEL_OTHER);

    @Override
    public RuleInfo info() {
        return new RuleInfo("kernel-time", "Work of the kernel is waited for", Set.of(Needs.HOST_ACTIVITY))
                .limits(SHARE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = HostShare.judged(analysis);
        long costNs = HostShare.ns(ledger, CLASSES);
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean(
                    "the kernel takes " + Units.percent(ledger.share(costNs)) + " of the " + ledger.partName());
        }
        LedgerClass most =
                CLASSES.stream().max(Comparator.comparingLong(ledger::ns)).orElseThrow();
        FindingBuilder finding = FindingBuilder.of("kernel-time", ledger, costNs)
                .claim(
                        "The kernel works {cost} for the thread that the program waits for, {share} of the {part}, page faults and file I/O aside.");
        HostShare.places(finding, analysis, CLASSES);
        HostShare.nativeFunctions(finding, analysis, CLASSES);
        return Verdict.found(
                finding.advice(Advice.against(most, analysis)).saves(analysis, CLASSES, "none of it is waited for"));
    }
}
