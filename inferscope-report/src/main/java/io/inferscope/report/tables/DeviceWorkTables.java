package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.GraphFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphKernel;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.model.WorkTables.SequenceFigures;
import java.util.ArrayList;
import java.util.List;

/** Tables about the device's work: graphs, operators by shape compared with the device's peak, memory. */
final class DeviceWorkTables {
    private DeviceWorkTables() {}

    static List<Table> of(Report report) {
        ShapeTables shapes = report.shapes();
        WorkTables work = shapes.work();
        return List.of(
                RowTable.of(
                        "What the GPUs compute",
                        "Kernels of all devices, by what they compute and by library, judged by their names.",
                        work.categories()),
                RowTable.of(
                        "Operations of XLA",
                        "Kernels by the HLO instruction that they compute, of all devices; the 30 with most time.",
                        work.hlo()),
                RowTable.of(
                        "Modules of the model",
                        "Device time launched in the `forward` of each `nn.Module`; layers that are alike are one line."
                                + (work.modulesLeftOut() == 0
                                        ? ""
                                        : " " + Units.count(work.modulesLeftOut())
                                                + " more, with less device time, are left out."),
                        work.modules()),
                RowTable.of(
                        "Collectives",
                        "Waiting is the time until the last rank arrived; bandwidth is of the time after that where all ranks are recorded.",
                        work.collectives()),
                RowTable.of(
                        "Kernels that follow each other",
                        "Of the first " + Units.count(SequenceFigures.LOOKED_AT)
                                + " operations of the judged part: runs of two to five on one stream that recur, and that a fused kernel or a graph"
                                + " could replace.",
                        work.sequences()),
                RowTable.of(
                        "Launch queues",
                        "Operations launched and not started yet. An empty queue means that the GPU waits for the host.",
                        work.queues()),
                RowTable.of(
                        "CUDA graphs",
                        "Launches that replay the same operations are one graph. Times are medians over its replays; idle inside is time between the"
                                + " kernels of one replay, idle after is from its end to the device's next work.",
                        shapes.graphs()),
                graphKernels(shapes.graphs()),
                RowTable.of("Operators by shape", operatorsIntro(shapes), shapes.operators()),
                LoggedShapeTable.of(shapes.logged()),
                RowTable.of(
                        "Work against the peak",
                        "MFU compares the FLOPs of products, convolutions and attention with what the device can compute, MBU the bytes of all"
                                + " operators with what its memory can carry: while it worked, and in the whole part. Both are lower"
                                + " bounds, because operators without recorded inputs do not count; two columns show how much of the"
                                + " GPU time is counted.",
                        work.utilisation()),
                RowTable.of(
                        "Peaks of the devices",
                        "Dense figures of the vendor, which no program reaches: operators are compared with them.",
                        shapes.peaks()),
                RowTable.of(
                        "Memory of the framework's allocator",
                        "Memory used by tensors, and memory that the allocator held for it, during the recording.",
                        shapes.memory(),
                        report.window().startNs(),
                        0));
    }

    private static Table graphKernels(List<GraphFigures> graphs) {
        List<List<String>> rows = new ArrayList<>();
        for (GraphFigures graph : graphs) {
            for (GraphKernel kernel : graph.kernels()) {
                rows.add(List.of(
                        graph.name(),
                        graph.device(),
                        kernel.name(),
                        Units.count(kernel.perReplay()),
                        Units.duration(kernel.totalNs() / Math.max(1, graph.replays())),
                        Units.duration(kernel.totalNs()),
                        kernel.operator()));
            }
        }
        return new Table(
                "Kernels of CUDA graphs",
                "The ten longest of each graph. The operator is the one that launched the kernel when the graph was captured.",
                columns(
                        texts("Graph", "Device"),
                        names("Kernel"),
                        numbers("Per replay", "Time per replay", "Total"),
                        names("Operator")),
                rows);
    }

    private static String operatorsIntro(ShapeTables shapes) {
        boolean device = shapes.operators().stream().anyMatch(o -> o.deviceNs() > 0);
        return (device
                        ? "Device time under the innermost operator whose work is known."
                        : "Host time of the innermost operators whose work is known.")
                + (shapes.part() == LedgerPart.STEADY_STATE ? " Of the steady state alone." : "")
                + " FLOPs and bytes are the least that one call needs; efficiency is the least possible time, by the"
                + " device's peak, over the time taken.";
    }
}
