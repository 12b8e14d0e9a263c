package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import java.util.List;

/**
 * Reports a model on the CPU whose framework costs more than the small operators it runs. Basis and threshold:
 * docs/rules/framework-dominates.md.
 */
final class FrameworkDominatesRule extends Rule {
    private static final Threshold SHARE = Threshold.share("framework-dominates", 0.20);

    private static final List<LedgerClass> CLASSES =
            List.of(LedgerClass.FRAMEWORK_PYTHON, LedgerClass.FRAMEWORK_DISPATCH, LedgerClass.FRAMEWORK_ALLOCATION);

    FrameworkDominatesRule() {
        super(new RuleInfo(
                        "framework-dominates",
                        "The framework costs more than the small operators it runs",
                        Needs.HOST_ACTIVITY)
                .limits(SHARE));
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        if (!analysis.devices().isEmpty()) {
            return new Verdict.NotApplicable(
                    "the model runs on a device: launch-bound looks at what its framework takes");
        }
        Ledger ledger = HostShare.judged(analysis);
        long costNs = CLASSES.stream().mapToLong(ledger::ns).sum();
        String words = ledger.shareOfPart(costNs);
        if (ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("the framework's own Python, dispatching and allocating take " + words);
        }
        long computeNs = ledger.ns(LedgerClass.CPU_MODEL_COMPUTE);
        FindingBuilder finding = finding(ledger, costNs)
                .causes(CLASSES)
                .measure("compute", Units.duration(computeNs))
                .measure("at most", analysis.has(RowKind.STACK_SAMPLE) ? " at most" : "")
                .claim(
                        "The framework's own Python, dispatching and allocating take {cost}, {share} of the {part}, for {compute} of computing{at most}: each call of the model has too little to do.");
        return Verdict.found(HostShare.places(finding, analysis, CLASSES)
                .advice(AdviceTable.of(AdviceTable.Topic.FRAMEWORK, analysis))
                .noGain("only a run shows how much of it larger batches or compiled code leave"));
    }
}
