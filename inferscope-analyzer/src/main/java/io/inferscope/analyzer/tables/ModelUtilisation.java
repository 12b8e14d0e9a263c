package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.model.WorkTables.UtilisationFigures;
import io.inferscope.analyzer.tables.ShapeGroups.Group;
import io.inferscope.analyzer.work.DevicePeak;
import io.inferscope.analyzer.work.Roofline;
import io.inferscope.analyzer.work.Work;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How much of its peak a device reached in operators with known work.
 *
 * <pre>
 *   MFU = sum over products, convolutions, attention of (FLOPs / peak FLOP/s of their type) / time
 *   MBU = sum over operators of (bytes / peak bytes per second of the memory) / time
 * </pre>
 *
 * MFU, model FLOPs utilisation, is from Chowdhery et al., PaLM, arXiv 2204.02311, appendix B: the throughput divided by
 * the throughput at peak FLOPs. Each type is compared with its own peak, so the sum is the time at the peak divided by
 * the time. All executed work counts: a forward pass that is repeated for the backward pass counts twice, which
 * Korthikanti et al., arXiv 2205.05198, call hardware FLOPs utilisation. MBU, model bandwidth utilisation, is achieved
 * over peak bandwidth (Databricks, "LLM Inference Performance Engineering: Best Practices", 2023), here with
 * activations beside weights and caches.
 *
 * <p>Both are lower bounds: operators without recorded inputs, and those above the peak, do not count. If the counted
 * operators cover less than half of the time, no figure is given. An operator's traffic is limited to what the memory
 * can carry in its time: the rest came from a cache.
 */
final class ModelUtilisation {
    /**
     * Categories of kernels that multiply matrices. MFU needs operators that cover most of the time of these kernels.
     */
    private static final Set<KernelCategory> MATRIX =
            EnumSet.of(KernelCategory.GEMM, KernelCategory.CONVOLUTION, KernelCategory.ATTENTION, KernelCategory.MOE);

    /** Least share of the time that the counted operators must cover. */
    private static final double LEAST_COVERED = 0.5;

    private final DevicePeak peak;
    private double flops;
    private double computeNs;
    private long productNs;
    private double bytes;
    private double memoryNs;
    private long countedNs;
    private long allNs;
    private long matrixKernelNs;

    private ModelUtilisation(DevicePeak peak) {
        this.peak = peak;
    }

    /** Returns one line per device. */
    static List<UtilisationFigures> of(Analysis analysis, @Nullable ShapeTable operators) {
        List<UtilisationFigures> figures = new ArrayList<>();
        for (int place = 0; place < analysis.devices().size(); place++) {
            DeviceActivity device = analysis.devices().get(place);
            DevicePeak peak = ShapeTable.peak(analysis, device);
            if (operators == null || operators.groups().isEmpty()) {
                figures.add(UtilisationFigures.withheld(
                        device.id(), "the recording has no sizes of the inputs of operators that used the device"));
            } else if (peak == null) {
                figures.add(UtilisationFigures.withheld(device.id(), "the peak of the device is not known"));
            } else {
                ModelUtilisation sums = new ModelUtilisation(peak);
                for (Group group : operators.groups()) {
                    sums.add(group, place);
                }
                figures.add(sums.figures(analysis, device, operators.stretch(device)));
            }
        }
        return figures;
    }

    private void add(Group group, int device) {
        Work work = group.work();
        long calls = group.count(device);
        if (work == null || calls == 0 || group.crossesBus()) {
            return;
        }
        long ns = group.deviceNs(device);
        Roofline roofline = Roofline.of(work, (double) ns / calls, peak, group.usesTf32());
        if (roofline == null || roofline.isAnomaly()) {
            return;
        }
        double carriedNs = Math.min(calls * roofline.memoryNs(), (double) ns);
        memoryNs += carriedNs;
        bytes += carriedNs * peak.bytesPerSecond() / 1e9;
        countedNs += ns;
        if (work.kind().isMatrix()) {
            flops += calls * work.flops();
            computeNs += calls * roofline.computeNs();
            productNs += ns;
        }
    }

    private UtilisationFigures figures(Analysis analysis, DeviceActivity device, Stretch part) {
        if (countedNs == 0) {
            return UtilisationFigures.withheld(
                    device.id(), "no operator of the device has recorded sizes and types and a known formula");
        }
        sumOperations(analysis, device, part);
        long busyNs = device.busy().clip(part.startNs(), part.endNs()).totalNs();
        String noMfu = productNs == 0
                ? "no product, convolution or attention has recorded inputs"
                : reason(
                        "products with recorded inputs",
                        productNs,
                        "the time of kernels that multiply matrices",
                        matrixKernelNs,
                        computeNs / busyNs);
        String noMbu = reason("operators whose work is known", countedNs, "the GPU time", allNs, memoryNs / busyNs);
        return new UtilisationFigures(
                device.id(),
                flops,
                noMfu.isEmpty() ? computeNs / busyNs : null,
                noMfu.isEmpty() ? computeNs / part.durationNs() : null,
                (double) productNs / allNs,
                bytes,
                noMbu.isEmpty() ? memoryNs / busyNs : null,
                noMbu.isEmpty() ? memoryNs / part.durationNs() : null,
                (double) countedNs / allNs,
                Stream.of(noMfu.isEmpty() ? "" : "MFU: " + noMfu, noMbu.isEmpty() ? "" : "MBU: " + noMbu)
                        .filter(reason -> !reason.isEmpty())
                        .collect(Collectors.joining("; ")));
    }

    /** Returns the reason for withholding a figure, empty for none. */
    private static String reason(String what, long countedNs, String of, long ofNs, double utilisation) {
        if (countedNs < LEAST_COVERED * ofNs) {
            return what + " cover " + Units.percent((double) countedNs / ofNs) + " of " + of;
        }
        return utilisation <= 1 ? "" : "above 100 %, so one of the figures must be wrong";
    }

    /** Sums the operations that start in the part, as for operators. */
    private void sumOperations(Analysis analysis, DeviceActivity device, Stretch part) {
        Timeline timeline = analysis.timeline();
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            if (part.holds(timeline.startNs(row))) {
                long ns = timeline.durationNs(row);
                allNs += ns;
                boolean kernel = timeline.kind(row) == RowKind.KERNEL;
                matrixKernelNs +=
                        kernel && MATRIX.contains(analysis.kernelNames().category(timeline.nameId(row))) ? ns : 0;
            }
        }
    }
}
