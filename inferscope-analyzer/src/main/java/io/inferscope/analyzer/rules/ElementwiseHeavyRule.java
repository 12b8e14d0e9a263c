package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.KernelCategoryTime;
import java.util.List;

/** Reports elementwise work that is not fused, for kernels of any size. */
final class ElementwiseHeavyRule extends Rule {
    private static final int MOST_KERNELS = 4;
    private static final int MOST_CATEGORIES = 5;

    @Override
    public Verdict evaluate(Analysis analysis) {
        KernelCategoryTime time = KernelCategoryTime.of(analysis);
        Ledger ledger = analysis.ledger();
        long costNs = Math.min(time.ns(KernelCategory.ELEMENTWISE), ledger.durationNs());
        double ofKernels = (double) time.ns(KernelCategory.ELEMENTWISE) / Math.max(1, time.totalNs());
        if (ofKernels < limit(analysis, "of-kernels") || ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("elementwise kernels take " + Units.percent(ofKernels) + " of the kernels' time, "
                    + ledger.shareOfPart(costNs));
        }
        if (time.names().stream().mapToLong(KernelCategoryTime.Named::count).sum() < 2) {
            return Verdict.clean("a single kernel has no neighbour to be fused with");
        }
        List<KernelCategoryTime.Named> kernels = time.names().stream()
                .filter(kernel -> kernel.category() == KernelCategory.ELEMENTWISE)
                .toList();
        long count = kernels.stream().mapToLong(KernelCategoryTime.Named::count).sum();
        long productsNs = time.ns(KernelCategory.GEMM) + time.ns(KernelCategory.CONVOLUTION);
        FindingBuilder finding = finding(ledger, costNs)
                .severity(Severity.INFO)
                .causes(List.of(LedgerClass.GPU_COMPUTE))
                .measure("of kernels", Units.percent(ofKernels))
                .measure("count", Units.count(count))
                .measure("products", Units.percent((double) productsNs / Math.max(1, time.totalNs())));
        kernels.stream().limit(MOST_KERNELS).forEach(k -> finding.place("kernel", k.name(), k.ns(), k.count()));
        time.categories().stream()
                .limit(MOST_CATEGORIES)
                .forEach(category -> finding.quantity(
                        "of the kernels' time: " + category.words(),
                        (double) time.ns(category) / time.totalNs(),
                        "ratio"));
        return Verdict.found(finding.advice(analysis).noGain("how much of it a fused kernel still needs is not known"));
    }
}
