package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphKernel;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.OwnScopes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Tables about work of which people see more than its rows: annotations, modules, graphs, operators by shape. */
final class DetailedWorkTables {
    private DetailedWorkTables() {}

    static List<Table> annotations(Report report) {
        return List.of(
                RowTable.of(report, TableId.SCOPES), annotationCpu(report.rows(TableId.SCOPES)), ownScopes(report));
    }

    static List<Table> modules(Report report) {
        long leftOut = report.notesOnTables().modulesLeftOut();
        return List.of(RowTable.of(
                report,
                TableId.MODULES,
                "Device time launched in the `forward` of each `nn.Module`; layers that are alike are one line."
                        + (leftOut == 0
                                ? ""
                                : " " + Units.count(leftOut) + " more, with less device time, are left out.")));
    }

    static List<Table> graphs(Report report) {
        return List.of(RowTable.of(report, TableId.GRAPHS), graphKernels(report.rows(TableId.GRAPHS)));
    }

    static List<Table> operators(Report report) {
        return List.of(RowTable.of(report, TableId.OPERATOR_SHAPES, operatorsIntro(report)));
    }

    private static Table ownScopes(Report report) {
        return new Table(
                "Own scopes",
                "What the program marks itself, in the judged part. Scopes may lie inside others.",
                columns(names("Scope"), numbers("Time", "Share", "Uses"), names("Line")),
                OwnScopes.of(report).stream()
                        .map(scope -> List.of(
                                scope.name(),
                                Units.duration(scope.judgedNs()),
                                OwnScopes.share(report, scope),
                                Units.count(scope.count()),
                                scope.where()))
                        .toList());
    }

    private static Table annotationCpu(List<ScopeFigures> scopes) {
        return new Table(
                "CPU time per annotation",
                "CPU time of the annotation's own thread; the rest of its wall time was spent waiting.",
                columns(names("Annotation"), numbers("Wall", "CPU", "CPU of wall", "CPU per use")),
                scopes.stream()
                        .flatMap(scope -> Stream.ofNullable(scope.onCpuNs()).map(cpuNs -> cpu(scope, cpuNs)))
                        .toList());
    }

    private static List<String> cpu(ScopeFigures scope, long cpuNs) {
        return List.of(
                scope.name(),
                Units.duration(scope.wallNs()),
                Units.duration(cpuNs),
                scope.wallNs() <= 0 ? Units.ABSENT : Units.percent((double) cpuNs / scope.wallNs()),
                Units.duration(cpuNs / Math.max(1, scope.count())));
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

    private static String operatorsIntro(Report report) {
        boolean device = report.rows(TableId.OPERATOR_SHAPES).stream().anyMatch(o -> o.deviceNs() > 0);
        return (device
                        ? "Device time under the innermost operator whose work is known."
                        : "Host time of the innermost operators whose work is known.")
                + (report.notesOnTables().shapesPart() == LedgerPart.STEADY_STATE ? " Of the steady state alone." : "")
                + " FLOPs and bytes are the least that one call needs; efficiency is the least possible time, by the"
                + " device's peak, over the time taken.";
    }
}
