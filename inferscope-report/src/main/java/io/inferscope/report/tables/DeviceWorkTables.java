package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.name;
import static io.inferscope.report.tables.Table.number;
import static io.inferscope.report.tables.Table.words;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.GraphFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphKernel;
import io.inferscope.analyzer.model.ShapeTables.MemoryFigures;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.ShapeTables.PeakFigures;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Tables about what the device had to do: graphs, operators by shape against the device's peak, memory. */
final class DeviceWorkTables {
    private DeviceWorkTables() {}

    static List<Table> of(Report report) {
        ShapeTables shapes = report.shapes();
        return List.of(
                graphs(shapes.graphs()),
                graphKernels(shapes.graphs()),
                operators(shapes),
                LoggedShapeTable.of(shapes.logged()),
                peaks(shapes.peaks()),
                memory(shapes.memory(), report.window().startNs()));
    }

    private static Table graphs(List<GraphFigures> graphs) {
        return new Table(
                "CUDA graphs",
                "Launches that replay the same operations are one graph. Times are medians over its replays; idle inside is time between the"
                        + " kernels of one replay, idle after is from its end to the device's next work.",
                List.of(
                        words("Graph"),
                        words("Device"),
                        name("Launched by"),
                        number("Replays"),
                        number("Operations"),
                        number("Launch call"),
                        number("Length"),
                        number("Busy inside"),
                        number("Idle inside"),
                        number("Idle after"),
                        words("Operators known from")),
                graphs.stream()
                        .map(graph -> List.of(
                                graph.name(),
                                graph.device(),
                                graph.call(),
                                Units.count(graph.replays()),
                                Units.count(graph.operations()),
                                Units.duration(graph.launchNs()),
                                Units.duration(graph.lengthNs()),
                                Units.duration(graph.busyNs()),
                                Units.duration(graph.insideIdleNs()),
                                Units.durationIfRecorded(graph.gapNs()),
                                graph.source().isEmpty() ? Units.ABSENT : graph.source()))
                        .toList());
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
                List.of(
                        words("Graph"),
                        words("Device"),
                        name("Kernel"),
                        number("Per replay"),
                        number("Time per replay"),
                        number("Total"),
                        name("Operator")),
                rows);
    }

    private static Table operators(ShapeTables shapes) {
        boolean device = shapes.operators().stream().anyMatch(o -> o.deviceNs() > 0);
        return new Table(
                "Operators by shape",
                (device
                                ? "Device time under the innermost operator whose work is known."
                                : "Host time of the innermost operators whose work is known.")
                        + (shapes.part().equals("steady-state") ? " Of the steady state alone." : "")
                        + " FLOPs and bytes are the least that one call needs; efficiency is the least possible time, by the"
                        + " device's peak, over the time taken.",
                List.of(
                        name("Operator"),
                        name("Inputs"),
                        name("Types"),
                        number("Count"),
                        number("Host"),
                        number("Device"),
                        number("Share"),
                        number("FLOPs"),
                        number("Bytes"),
                        number("FLOP/s"),
                        number("Bytes/s"),
                        words("Bound by"),
                        number("Efficiency"),
                        words("Matrix units")),
                shapes.operators().stream().map(DeviceWorkTables::operator).toList());
    }

    private static List<String> operator(OperatorShape operator) {
        return List.of(
                operator.name(),
                sizes(operator.dims()),
                types(operator.types()),
                Units.count(operator.count()),
                Units.duration(operator.hostNs()),
                operator.deviceNs() == 0 ? Units.ABSENT : Units.duration(operator.deviceNs()),
                Units.percent(operator.share()),
                Units.flops(operator.flops()),
                Units.bytes(operator.bytes()),
                Units.flopsRate(operator.flopsPerSecond()),
                Units.rate(operator.bytesPerSecond()),
                operator.bound().isEmpty() ? Units.ABSENT : operator.bound(),
                Units.percent(operator.efficiency())
                        + (operator.remark().isEmpty() ? "" : " (" + operator.remark() + ")"),
                operator.matrixUnits().isEmpty() ? Units.ABSENT : operator.matrixUnits());
    }

    /** Returns {@code [8,768] [768,768]} of {@code [[8,768],[768,768],[],[]]}: inputs that are no tensors say nothing here. */
    private static String sizes(String dims) {
        String tensors = dims.replace(" ", "").replace(",[]", "");
        boolean nested = tensors.startsWith("[[") && tensors.endsWith("]]") && !tensors.contains("[[[");
        return nested ? tensors.substring(1, tensors.length() - 1).replace("],[", "] [") : tensors;
    }

    /** Returns the types of the tensors, each once. */
    private static String types(String types) {
        Set<String> distinct = new LinkedHashSet<>();
        for (String type : types.replaceAll("[\\[\\]]", "").split(",", -1)) {
            if (!type.isEmpty() && !type.startsWith("Scalar")) {
                distinct.add(type.replace("c10::", ""));
            }
        }
        return String.join(", ", distinct);
    }

    private static Table peaks(List<PeakFigures> peaks) {
        return new Table(
                "Peaks of the devices",
                "Dense figures of the vendor, which no program reaches: what operators are held against.",
                List.of(
                        words("Device"),
                        words("Model"),
                        number("FP16 and BF16"),
                        number("FP32"),
                        number("Memory"),
                        words("Source")),
                peaks.stream()
                        .map(peak -> List.of(
                                peak.device(),
                                peak.model(),
                                Units.flopsRate(peak.fp16()),
                                Units.flopsRate(peak.fp32()),
                                Units.rate(peak.bytesPerSecond()),
                                peak.source()))
                        .toList());
    }

    private static Table memory(List<MemoryFigures> memories, long zeroNs) {
        return new Table(
                "Memory of the framework's allocator",
                "What was given out to tensors, and what the allocator held for that, while it was recorded.",
                List.of(
                        name("Process"),
                        words("Memory of"),
                        number("Events"),
                        number("Peak given out"),
                        number("At"),
                        name("Allocating operator"),
                        number("Peak held"),
                        number("Given out at the end"),
                        number("Capacity")),
                memories.stream()
                        .map(memory -> List.of(
                                memory.process(),
                                memory.device().equals("host") ? "host" : "device " + memory.device(),
                                Units.count(memory.events()),
                                Units.bytes(memory.peakAllocatedBytes()),
                                Units.point(memory.peakNs() - zeroNs),
                                memory.operator(),
                                size(memory.peakReservedBytes()),
                                Units.bytes(memory.lastAllocatedBytes()),
                                size(memory.capacityBytes())))
                        .toList());
    }

    private static String size(long bytes) {
        return bytes <= 0 ? Units.ABSENT : Units.bytes(bytes);
    }
}
