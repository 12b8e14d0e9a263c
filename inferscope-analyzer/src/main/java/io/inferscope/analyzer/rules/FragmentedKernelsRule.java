package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import java.util.List;

/** Reports small kernels that are launched over and over. */
final class FragmentedKernelsRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Ledger ledger = analysis.ledger();
        double most = limit(analysis, "kernel-ns");
        double least = limit(analysis, "launches");
        List<KernelFigures> small = Tables.of(analysis).rows(Report.KERNELS).stream()
                .filter(k -> k.device().equals(device.id()) && !k.communication() && k.launchLatencyNs() != null)
                .filter(k -> k.count() >= least && (double) k.totalNs() / k.count() < most)
                .toList();
        long costNs = Math.min(
                ledger.durationNs(),
                small.stream().mapToLong(KernelFigures::totalNs).sum());
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("small kernels launched often take " + ledger.shareOfPart(costNs));
        }
        long count = small.stream().mapToLong(KernelFigures::count).sum();
        FindingBuilder finding = finding(ledger, costNs)
                .severity(Severity.INFO)
                .measure("names", Units.count(small.size()))
                .measure("count", Units.count(count))
                .measure("mean", Units.duration(costNs / count));
        small.stream().limit(4).forEach(finding::kernel);
        return Verdict.found(finding.advice(analysis).noGain("how much of it a fused kernel still needs is not known"));
    }
}
