package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import java.util.List;

/** Reports that a model computes in float16 on a CPU that cannot. */
final class HalfOnCpuRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        ForwardPasses.Typed passes = ForwardPasses.Typed.of(analysis, "model.half_passes");
        if (!analysis.devices().isEmpty() || passes.all() == 0) {
            return new Verdict.NotApplicable("no forward passes of a model on the CPU are recorded");
        }
        if (passes.count() == 0) {
            return Verdict.clean("no forward pass has float16 weights that this CPU must convert");
        }
        Ledger ledger = HostShare.judged(analysis);
        long costNs = passes.costNs(ledger, LedgerClass.CPU_MODEL_COMPUTE);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(passes.ofAll() + " forward passes have float16 weights; they compute for "
                    + ledger.shareOfPart(costNs));
        }
        return Verdict.found(finding(ledger, costNs)
                .causes(List.of(LedgerClass.CPU_MODEL_COMPUTE))
                .measure("passes", passes.ofAll())
                .place("computes in float16", analysis.where(passes.longest()), passes.ns(), passes.count())
                .advice(analysis)
                .noGain("how long it takes in float32 is not in the recording"));
    }
}
