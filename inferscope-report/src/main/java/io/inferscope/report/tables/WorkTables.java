package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.OwnScopes;
import java.util.List;
import java.util.stream.Stream;

/** Tables about the program's activity: kernels, copies, operators, annotations, threads, launches. */
final class WorkTables {
    private WorkTables() {}

    static List<Table> of(Report report) {
        return List.of(
                RowTable.of(
                        "Kernels",
                        "Launch latency and queue delay are medians. A long queue delay means a busy device, not a slow launch.",
                        report.kernels()),
                RowTable.of("Copies and memory sets", "", report.copies()),
                RowTable.of(
                        "Operators",
                        "Host time, recursive calls counted once. Device time is that of operations launched directly under the operator.",
                        report.operators()),
                RowTable.of(
                        "Annotations",
                        "Host work that overlaps device work shows up here, but in no ledger of the device.",
                        report.scopes()),
                annotationCpu(report.scopes()),
                ownScopes(report),
                RowTable.of("Threads", "", report.threads()),
                RowTable.of(
                        "Launches",
                        "Latency from the launch call's start to the operation's start; queue delay from the call's end.",
                        report.launches()));
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
}
