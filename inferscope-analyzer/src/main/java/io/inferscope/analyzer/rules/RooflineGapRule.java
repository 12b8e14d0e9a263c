package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.RooflineRemark;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.model.WorkKind;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.work.Operands;
import io.inferscope.analyzer.work.Tensor;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reports operators that take much longer than the device's peak allows. */
final class RooflineGapRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Tables tables = Tables.of(analysis);
        if (tables.rows(ShapeTables.OPERATOR_SHAPES).isEmpty()) {
            return new Verdict.NotApplicable("sizes of operators' inputs are not recorded");
        }
        if (tables.rows(ShapeTables.DEVICE_PEAKS).isEmpty()) {
            return new Verdict.NotApplicable("the peak of the device is not known");
        }
        List<OperatorShape> slow = tables.rows(ShapeTables.OPERATOR_SHAPES).stream()
                .filter(o -> isJudged(analysis, o))
                .filter(o -> lostNs(analysis, o) > 0)
                .sorted(Order.comparingLong((OperatorShape o) -> lostNs(analysis, o))
                        .reversed())
                .toList();
        Ledger ledger = Optional.ofNullable(tables.shapesPart())
                .flatMap(analysis::ledger)
                .orElse(analysis.ledger());
        long lostNs = slow.stream().mapToLong(o -> lostNs(analysis, o)).sum();
        long costNs = Math.min(lostNs, ledger.durationNs());
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("at an attainable share of the device's peak, operators would save "
                    + Units.percent(ledger.share(costNs)) + " of the "
                    + ledger.part().id());
        }
        return Verdict.found(finding(analysis, ledger, costNs, slow));
    }

    /** Excludes calls of a few microseconds: start and end of the kernel dominate them, and none reaches a peak. */
    private boolean isJudged(Analysis analysis, OperatorShape operator) {
        return operator.efficiency() != null
                && operator.remark() != RooflineRemark.ABOVE_PEAK
                && operator.deviceNs() >= operator.count() * limit(analysis, "kernel-ns");
    }

    private double attainable(Analysis analysis, OperatorShape operator) {
        return limit(analysis, operator.kind() == WorkKind.ATTENTION ? "attention-attainable" : "attainable");
    }

    private long lostNs(Analysis analysis, OperatorShape operator) {
        double attainable = attainable(analysis, operator);
        return Math.round(operator.deviceNs() * Math.max(0, 1 - efficiency(operator) / attainable));
    }

    private FindingBuilder finding(Analysis analysis, Ledger ledger, long costNs, List<OperatorShape> slow) {
        OperatorShape first = slow.get(0);
        FindingBuilder finding = finding(ledger, costNs)
                .severity(Severity.WARNING)
                .measure("attainable", Units.percent(attainable(analysis, first)))
                .measure("operator", first.name())
                .measure("efficiency", Units.percent(efficiency(first)))
                .measure("bound", id(first.bound()))
                .measure("count", Units.count(first.count()))
                .measure("mean", Units.duration(first.deviceNs() / first.count()));
        for (OperatorShape operator : slow.subList(0, Math.min(3, slow.size()))) {
            finding.place(
                    id(operator.kind()) + " at " + Units.percent(efficiency(operator)) + " of the "
                            + id(operator.bound()) + " limit",
                    operator.name() + ' ' + operator.dims().replace(",[]", ""),
                    lostNs(analysis, operator),
                    operator.count());
        }
        Tables.of(analysis).rows(Report.KERNELS).stream()
                .filter(k -> k.operator().equals(first.name()))
                .findFirst()
                .ifPresent(k -> finding.evidence(kernel(k)));
        return finding.advice(advice(first, analysis))
                .noGain("how near to the peak a kernel for these sizes can come is not in the recording");
    }

    private static double efficiency(OperatorShape judged) {
        return Objects.requireNonNull(judged.efficiency());
    }

    /** Returns the id of a kind or bound of a judged operator, which has both. */
    private static String id(@Nullable HasStableId constant) {
        return Objects.requireNonNull(constant).id();
    }

    private static Evidence kernel(KernelFigures kernel) {
        return new Evidence.Place("its longest kernel", kernel.name(), kernel.totalNs(), kernel.count());
    }

    /** The fused forms of `scaled_dot_product_attention` are named after their kernels. */
    private static boolean isFused(String name) {
        return NameRole.FUSED_PRODUCT.in(name);
    }

    /** Returns how products get faster, without what these have already. */
    private static String productAdvice(OperatorShape operator, Analysis analysis) {
        List<String> advice = new ArrayList<>();
        boolean oddStrides = Tables.of(analysis).rows(Report.KERNELS).stream()
                .anyMatch(k -> k.operator().equals(operator.name()) && NameRole.UNALIGNED.in(k.name()));
        if (oddStrides || hasOddSize(operator)) {
            advice.add("give the products sizes and strides that are multiples of 8 elements"
                    + (oddStrides ? " (the kernel's `align1` or `align2` says that they are not)" : ""));
        }
        if (!NameRole.SMALL_TYPE.in(operator.types())) {
            advice.add("keep weights in a half type");
        }
        advice.add(Advice.of("roofline-gap.product", analysis));
        return Units.capitalised(String.join("; ", advice));
    }

    /** The size that lies densely in memory: the last one of a matrix, the channels of a convolution. */
    private static boolean hasOddSize(OperatorShape operator) {
        boolean channels = operator.kind() == WorkKind.CONVOLUTION;
        return Operands.of(operator.dims(), operator.types(), "").tensors().stream()
                .map(Tensor::dims)
                .filter(dims -> dims.size() > (channels ? 2 : 1))
                .anyMatch(dims -> dims.get(channels ? 1 : dims.size() - 1) % 8 != 0);
    }

    private static String advice(OperatorShape operator, Analysis analysis) {
        return switch (Objects.requireNonNull(operator.kind())) {
            case MATMUL, CONVOLUTION -> productAdvice(operator, analysis);
            case ATTENTION ->
                Advice.of(
                        isFused(operator.name()) ? "roofline-gap.fused-attention" : "roofline-gap.attention", analysis);
            case SOFTMAX -> Advice.of("roofline-gap.softmax", analysis);
            default -> Advice.of("roofline-gap", analysis);
        };
    }
}
