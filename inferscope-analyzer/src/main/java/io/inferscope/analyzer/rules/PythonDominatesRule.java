package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.EmptiedQueue;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.rules.AdviceTable.Figure;
import java.util.List;

/** Reports Python code that delays the program. Basis and threshold: docs/rules/python-dominates.md. */
final class PythonDominatesRule extends Rule {
    private static final Threshold SHARE = Threshold.share("python-dominates", 0.20);

    PythonDominatesRule() {
        super(new RuleInfo("python-dominates", "The program waits for Python code", Needs.HOST_ACTIVITY).limits(SHARE));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = HostShare.judged(analysis);
        long costNs = HostShare.ownNs(analysis, ledger, List.of(LedgerClass.CPU_PYTHON));
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("the program's own Python takes " + ledger.shareOfPart(costNs));
        }
        String inflated = analysis.pythonStacksRecorded()
                ? " Python functions were recorded one by one, which makes them look slower than they are."
                : "";
        String hidden = !analysis.isRun() && analysis.pythonStacksWithoutNativeFrames()
                ? " The stacks have no native frames: a line's time holds that of the native code it calls, such as a wait for a GPU (`py-spy record --native`)."
                : "";
        FindingBuilder finding = finding(ledger, costNs)
                .claim("The program's own Python code takes {cost}, {share} of the {part}." + inflated + hidden);
        if (!analysis.devices().isEmpty()) {
            long drainedNs = EmptiedQueue.of(analysis).ns(List.of(LedgerClass.CPU_PYTHON));
            finding.figure(Figure.DRAINED_RATIO, (double) drainedNs / Math.max(1, costNs));
        }
        return Verdict.found(HostShare.places(finding, analysis, List.of(LedgerClass.CPU_PYTHON))
                .adviceAgainst(LedgerClass.CPU_PYTHON, analysis)
                .saves(analysis, List.of(LedgerClass.CPU_PYTHON), "none of it is waited for"));
    }
}
