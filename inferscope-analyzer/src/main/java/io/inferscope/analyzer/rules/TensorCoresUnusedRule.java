package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.MatrixUnits;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.RooflineBound;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.model.WorkKind;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.work.DevicePeak;
import io.inferscope.analyzer.work.MatrixKernels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reports matrix products that do not use the tensor cores. */
final class TensorCoresUnusedRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        DevicePeak peak = Tables.of(analysis).peakOf(device);
        if (peak == null) {
            return new Verdict.NotApplicable("it is not known whether the device has tensor cores");
        }
        if (!peak.hasMatrixUnits()) {
            return Verdict.clean("the device has no tensor cores");
        }
        List<OperatorShape> products = Tables.of(analysis).rows(ShapeTables.OPERATOR_SHAPES).stream()
                .filter(o -> o.matrixUnits() != null)
                .toList();
        List<Evidence.Place> unused = products.isEmpty() ? unusedKernels(analysis, device) : unusedOperators(products);
        LedgerPart part = products.isEmpty()
                ? LedgerPart.SPAN
                : Tables.of(analysis).notesOnTables().shapesPart();
        Ledger ledger = Optional.ofNullable(part).flatMap(analysis::ledger).orElse(analysis.ledger());
        long ns = unused.stream().mapToLong(Evidence.Place::ns).sum();
        long costNs = Math.min(ns, ledger.durationNs());
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(
                    "products that could use tensor cores and do not take " + Units.percent(ledger.share(costNs))
                            + " of the " + ledger.part().id());
        }
        long calls = unused.stream().mapToLong(Evidence.Place::count).sum();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("count", Units.count(calls))
                .measure("mean", Units.duration(ns / Math.max(1, calls)));
        unused.stream().limit(3).forEach(finding::evidence);
        return Verdict.found(finding.advice(topic(peak, products), analysis)
                .noGain("how fast these products are on tensor cores is not in the recording"));
    }

    /**
     * Returns the operators that tensor cores would make faster. Memory-bound operators would not be faster; float64
     * operators need their precision.
     */
    private static List<Evidence.Place> unusedOperators(List<OperatorShape> products) {
        List<Evidence.Place> unused = new ArrayList<>();
        for (OperatorShape product : products) {
            WorkKind kind = product.kind();
            if (kind != null
                    && product.matrixUnits() == MatrixUnits.UNUSED
                    && product.bound() != RooflineBound.MEMORY
                    && !product.types().contains("double")) {
                unused.add(new Evidence.Place(
                        kind.id() + " without tensor cores",
                        product.name() + ' ' + product.dims().replace(",[]", ""),
                        product.deviceNs(),
                        product.count()));
            }
        }
        return unused;
    }

    private static List<Evidence.Place> unusedKernels(Analysis analysis, DeviceActivity device) {
        return Tables.of(analysis).rows(Report.KERNELS).stream()
                .filter(k -> k.device().equals(device.id()) && MatrixKernels.isProductBesideThem(k.name()))
                .map(k -> new Evidence.Place("kernel without tensor cores", k.name(), k.totalNs(), k.count()))
                .toList();
    }

    private static String topic(DevicePeak peak, List<OperatorShape> products) {
        boolean half = products.stream()
                .anyMatch(o -> o.matrixUnits() == MatrixUnits.UNUSED
                        && (o.types().contains("Half") || o.types().contains("BFloat16")));
        return half
                ? "tensor-cores-unused.aligned"
                : peak.tf32() > 0 ? "tensor-cores-unused.tf32" : "tensor-cores-unused";
    }
}
