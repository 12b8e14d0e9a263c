package io.inferscope.report.tables;

import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.RequestTables;
import io.inferscope.analyzer.model.RequestTables.RequestPart;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.model.RequestTables.SlowCause;
import io.inferscope.analyzer.model.RequestTables.TokenFigures;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.GraphFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphKernel;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.report.common.OwnScopes;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Tables about work of which people see more than its rows: annotations, modules, graphs, operators by shape, requests. */
final class DetailedWorkTables {
    private DetailedWorkTables() {}

    static List<Table> annotations(Report report) {
        return List.of(
                RowTable.of(report, Report.SCOPES), annotationCpu(report.rows(Report.SCOPES)), ownScopes(report));
    }

    static List<Table> modules(Report report) {
        long leftOut = report.notesOnTables().modulesLeftOut();
        return List.of(RowTable.of(
                report,
                WorkTables.MODULES,
                "Device time launched in the `forward` of each `nn.Module`; layers that are alike are one line."
                        + (leftOut == 0
                                ? ""
                                : " " + Units.count(leftOut) + " more, with less device time, are left out.")));
    }

    static List<Table> graphs(Report report) {
        return List.of(RowTable.of(report, ShapeTables.GRAPHS), graphKernels(report.rows(ShapeTables.GRAPHS)));
    }

    static List<Table> operators(Report report) {
        return List.of(RowTable.of(report, ShapeTables.OPERATOR_SHAPES, operatorsIntro(report)));
    }

    private static Table ownScopes(Report report) {
        return Table.of(
                "Own scopes",
                "What the program marks itself, in the judged part. Scopes may lie inside others.",
                OwnScopes.of(report),
                (row, scope) -> row.name("Scope", scope.name())
                        .time("Time", scope.judgedNs())
                        .number("Share", OwnScopes.share(report, scope))
                        .count("Uses", scope.count())
                        .name("Line", scope.where()));
    }

    private static Table annotationCpu(List<ScopeFigures> scopes) {
        return Table.of(
                "CPU time per annotation",
                "CPU time of the annotation's own thread; the rest of its wall time was spent waiting.",
                scopes.stream().filter(scope -> scope.onCpuNs() != null).toList(),
                (row, scope) -> {
                    long cpuNs = Objects.requireNonNull(scope.onCpuNs());
                    row.name("Annotation", scope.name())
                            .time("Wall", scope.wallNs())
                            .time("CPU", cpuNs)
                            .number(
                                    "CPU of wall",
                                    scope.wallNs() <= 0 ? Units.ABSENT : Units.percent((double) cpuNs / scope.wallNs()))
                            .time("CPU per use", cpuNs / Math.max(1, scope.count()));
                });
    }

    private static Table graphKernels(List<GraphFigures> graphs) {
        List<Map.Entry<GraphFigures, GraphKernel>> kernels = graphs.stream()
                .flatMap(graph -> graph.kernels().stream().map(kernel -> Map.entry(graph, kernel)))
                .toList();
        return Table.of(
                "Kernels of CUDA graphs",
                "The ten longest of each graph. The operator is the one that launched the kernel when the graph was captured.",
                kernels,
                (row, of) -> {
                    GraphFigures graph = of.getKey();
                    GraphKernel kernel = of.getValue();
                    row.words("Graph", graph.name())
                            .words("Device", graph.device())
                            .name("Kernel", kernel.name())
                            .count("Per replay", kernel.perReplay())
                            .time("Time per replay", kernel.totalNs() / Math.max(1, graph.replays()))
                            .time("Total", kernel.totalNs())
                            .name("Operator", kernel.operator());
                });
    }

    private static String operatorsIntro(Report report) {
        boolean device = report.rows(ShapeTables.OPERATOR_SHAPES).stream().anyMatch(o -> o.deviceNs() > 0);
        return (device
                        ? "Device time under the innermost operator whose work is known."
                        : "Host time of the innermost operators whose work is known.")
                + (report.notesOnTables().shapesPart() == LedgerPart.STEADY_STATE ? " Of the steady state alone." : "")
                + " FLOPs and bytes are the least that one call needs; efficiency is the least possible time, by the"
                + " device's peak, over the time taken.";
    }

    static List<Table> requests(Report report) {
        List<RequestTime> requests = report.rows(RequestTables.REQUEST_TIME);
        return List.of(requestParts(requests), tokens(requests));
    }

    private static Table requestParts(List<RequestTime> requests) {
        List<Map.Entry<RequestTime, RequestPart>> parts = requests.stream()
                .flatMap(request -> request.parts().stream().map(part -> Map.entry(request, part)))
                .toList();
        return Table.of(
                "Where requests' time went",
                "From arrival to the end of the answer, on the threads that served them; the parts of a request sum to its time.",
                parts,
                (row, of) -> {
                    RequestTime request = of.getKey();
                    RequestPart part = of.getValue();
                    row.name("Request", request.name())
                            .name("Process", request.process())
                            .count("Count", request.count())
                            .number("First token, median", Units.durationIfRecorded(request.medianFirstNs()))
                            .number("Per token, median", Units.durationIfRecorded(request.medianPerTokenNs()))
                            .words("Part", part.part())
                            .time("Mean per request", part.ns() / Math.max(1, request.count()))
                            .number(
                                    "Share",
                                    Units.percent((double) part.ns()
                                            / Math.max(1, request.ledger().durationNs())));
                });
    }

    /** Returns one row per cause of slow tokens, or one row without a cause if there is none. */
    private static Table tokens(List<RequestTime> requests) {
        List<Map.Entry<RequestTime, Optional<SlowCause>>> causes = requests.stream()
                .filter(request -> request.tokens().count() > 0)
                .flatMap(request -> request.tokens().causes().isEmpty()
                        ? Stream.of(Map.entry(request, Optional.<SlowCause>empty()))
                        : request.tokens().causes().stream().map(cause -> Map.entry(request, Optional.of(cause))))
                .toList();
        return Table.of(
                "Time between tokens",
                "From each token of an answer to the next. Slow ones take more than 1.5 times the median; the cause is the class in which they took the most extra time.",
                causes,
                (row, of) -> {
                    TokenFigures tokens = of.getKey().tokens();
                    Optional<SlowCause> cause = of.getValue();
                    long slow = tokens.slowCount();
                    row.name("Request", of.getKey().name())
                            .name("Process", of.getKey().process())
                            .count("Tokens", tokens.count())
                            .number("Median", Units.durationIfRecorded(tokens.medianNs()))
                            .number("p95", Units.durationIfRecorded(tokens.p95Ns()))
                            .number("p99", Units.durationIfRecorded(tokens.p99Ns()))
                            .number("Longest", Units.durationIfRecorded(tokens.maxNs()))
                            .count("Slow", slow)
                            .number("Extra time, mean", slow == 0 ? "" : Units.duration(tokens.slowMoreNs() / slow))
                            .words(
                                    "Cause",
                                    cause.map(one -> one.cause().label()).orElse(""))
                            .number(
                                    "Extra time in the cause, mean",
                                    cause.map(one -> Units.duration(one.moreNs() / Math.max(1, slow)))
                                            .orElse(""))
                            .name("Place", cause.map(SlowCause::where).orElse(""));
                });
    }
}
