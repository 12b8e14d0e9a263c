package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import java.util.Optional;

/** Reports one kernel that is most of the GPU's compute time. */
final class HotspotKernelRule extends Rule {
    /** Ends the names of graphs whose kernels were not recorded one by one. */
    private static final String WHOLE_GRAPH = "(recorded as a whole)";

    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Ledger ledger = analysis.ledger();
        Optional<KernelFigures> first = Tables.of(analysis).rows(Report.KERNELS).stream()
                .filter(k -> k.device().equals(device.id()) && !k.communication())
                .findFirst();
        long kernels = Tables.of(analysis).rows(Report.KERNELS).stream()
                .filter(k -> k.device().equals(device.id()))
                .mapToLong(KernelFigures::count)
                .sum();
        if (first.isEmpty() || kernels < limit(analysis, "kernels")) {
            return Verdict.clean(kernels + " kernels are too few to speak of a hotspot");
        }
        KernelFigures kernel = first.get();
        if (kernel.name().endsWith(WHOLE_GRAPH)) {
            return Verdict.clean("most of the compute time is in graphs that were recorded as a whole");
        }
        double ofCompute =
                (double) kernel.totalNs() / Math.max(1, device.compute().totalNs());
        long costNs = Math.min(kernel.totalNs(), ledger.durationNs());
        if (ofCompute <= limit(analysis, "of-compute")) {
            return Verdict.clean("the longest kernel takes " + Units.percent(ofCompute) + " of the compute time");
        }
        if (ledger.share(LedgerClass.GPU_COMPUTE) < limit(analysis, "compute")) {
            return Verdict.clean("one kernel takes " + Units.percent(ofCompute)
                    + " of the compute time, but that is little of the " + ledger.partName());
        }
        return Verdict.found(finding(ledger, costNs)
                .severity(Severity.INFO)
                .measure("kernel", kernel.name())
                .measure("of compute", Units.percent(Math.min(1, ofCompute)))
                .measure("count", Units.count(kernel.count()))
                .kernel(kernel)
                .quantity("mean time", (double) kernel.totalNs() / kernel.count(), "ns")
                .advice(analysis)
                .noGain("how fast the kernel could be is not in the recording"));
    }
}
