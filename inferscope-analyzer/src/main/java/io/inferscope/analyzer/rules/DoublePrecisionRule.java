package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.model.WorkKind;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.work.ElementType;
import io.inferscope.analyzer.work.MatrixKernels;
import io.inferscope.analyzer.work.Operands;
import java.util.List;
import java.util.Optional;

/** Reports that a model computes in float64. */
final class DoublePrecisionRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        ForwardPasses.Typed passes = ForwardPasses.Typed.of(analysis, "model.double_passes");
        if (passes.count() > 0) {
            return ofPasses(analysis, passes);
        }
        Tables tables = Tables.of(analysis);
        boolean typed = tables.rows(ShapeTables.OPERATOR_SHAPES).stream()
                .anyMatch(o -> !o.types().isEmpty());
        Verdict operators = typed ? ofOperators(analysis, tables) : null;
        if (operators instanceof Verdict.Found
                || (operators != null && analysis.devices().isEmpty())) {
            return operators;
        }
        Optional<DeviceActivity> device = analysis.headline();
        if (device.isPresent()) { // Operators of replayed graphs may not be known.
            Verdict kernels = ofKernels(analysis, device.get());
            return operators == null || kernels instanceof Verdict.Found ? kernels : operators;
        }
        return passes.all() > 0
                ? Verdict.clean("none of " + Units.count(passes.all()) + " forward passes has float64 weights")
                : new Verdict.NotApplicable("types of tensors are not recorded");
    }

    private Verdict ofPasses(Analysis analysis, ForwardPasses.Typed passes) {
        Ledger ledger = HostShare.judged(analysis);
        boolean onDevice = !analysis.devices().isEmpty();
        LedgerClass compute = onDevice ? LedgerClass.GPU_COMPUTE : LedgerClass.CPU_MODEL_COMPUTE;
        long costNs = passes.costNs(ledger, compute);
        String calls = passes.ofAll();
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(
                    calls + " forward passes have float64 weights; they compute for " + ledger.shareOfPart(costNs));
        }
        FindingBuilder finding = start(ledger, costNs)
                .causes(List.of(compute))
                .measure("passes", calls)
                .claim("double-precision.passes")
                .place("computes in float64", analysis.where(passes.longest()), passes.ns(), passes.count());
        return found(finding, analysis);
    }

    private Verdict ofOperators(Analysis analysis, Tables tables) {
        LedgerPart part = tables.shapesPart();
        Ledger ledger = Optional.ofNullable(part).flatMap(analysis::ledger).orElse(analysis.ledger());
        boolean onDevice = !analysis.devices().isEmpty();
        List<Evidence.Place> operators = tables.rows(ShapeTables.OPERATOR_SHAPES).stream()
                .filter(DoublePrecisionRule::computesInDouble)
                .map(o -> new Evidence.Place(
                        (o.kind() == null ? "operator" : o.kind().id()) + " in float64",
                        o.name() + ' ' + o.dims().replace(",[]", ""),
                        onDevice ? o.deviceNs() : o.hostNs(),
                        o.count()))
                .toList();
        long costNs = costNs(operators, ledger);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("operators on float64 tensors take " + ledger.shareOfPart(costNs));
        }
        FindingBuilder finding = start(ledger, costNs)
                .measure("calls", Units.count(calls(operators)))
                .claim(onDevice ? "double-precision.operators" : "double-precision.host-operators");
        operators.stream().limit(3).forEach(finding::evidence);
        return found(finding, analysis);
    }

    /** Returns whether an input is a float64 tensor; single numbers take the type of the tensors beside them. */
    private static boolean computesInDouble(OperatorShape operator) {
        if (operator.kind() == WorkKind.COPY || !operator.types().contains("double")) {
            return false;
        }
        return Operands.of(operator.dims(), operator.types(), "").tensors().stream()
                .filter(tensor -> !tensor.dims().isEmpty())
                .anyMatch(tensor -> tensor.type() == ElementType.FLOAT64 || tensor.type() == ElementType.COMPLEX128);
    }

    private Verdict ofKernels(Analysis analysis, DeviceActivity device) {
        Ledger ledger = analysis.ledger();
        List<Evidence.Place> kernels = Tables.of(analysis).rows(Report.KERNELS).stream()
                .filter(k -> k.device().equals(device.id()) && MatrixKernels.isDouble(k.name()))
                .map(k -> new Evidence.Place("kernel in float64", k.name(), k.totalNs(), k.count()))
                .toList();
        long costNs = costNs(kernels, ledger);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("kernels of products in float64 take " + ledger.shareOfPart(costNs));
        }
        FindingBuilder finding = start(ledger, costNs)
                .measure("calls", Units.count(calls(kernels)))
                .claim("double-precision.kernels");
        kernels.stream().limit(3).forEach(finding::evidence);
        return found(finding, analysis);
    }

    private static long costNs(List<Evidence.Place> places, Ledger ledger) {
        return Math.min(places.stream().mapToLong(Evidence.Place::ns).sum(), ledger.durationNs());
    }

    private static long calls(List<Evidence.Place> places) {
        return places.stream().mapToLong(Evidence.Place::count).sum();
    }

    /** Its results may need the precision, so it is never critical. */
    private FindingBuilder start(Ledger ledger, long costNs) {
        FindingBuilder finding = finding(ledger, costNs);
        return Severity.ofShare(ledger.share(costNs)) == Severity.CRITICAL
                ? finding.severity(Severity.WARNING)
                : finding;
    }

    private static Verdict found(FindingBuilder finding, Analysis analysis) {
        return Verdict.found(finding.advice(analysis).noGain("how long it takes in float32 is not in the recording"));
    }
}
