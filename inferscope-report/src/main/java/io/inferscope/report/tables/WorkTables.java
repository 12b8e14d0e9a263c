package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.name;
import static io.inferscope.report.tables.Table.number;
import static io.inferscope.report.tables.Table.words;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.Units;
import java.util.List;

/** Tables about what the program did: kernels, copies, operators, annotations, threads, launches. */
final class WorkTables {
    private WorkTables() {}

    static List<Table> of(Report report) {
        return List.of(
                kernels(report.kernels()),
                copies(report.copies()),
                operators(report.operators()),
                annotations(report.scopes()),
                annotationCpu(report.scopes()),
                threads(report.threads()),
                launches(report.launches()));
    }

    private static Table kernels(List<KernelFigures> kernels) {
        return new Table(
                "Kernels",
                "Launch latency and queue delay are medians. A long queue delay means a busy device, not a slow launch.",
                List.of(
                        name("Kernel"),
                        words("Device"),
                        number("Count"),
                        number("Total"),
                        number("Mean"),
                        number("Min"),
                        number("Max"),
                        number("Launch latency"),
                        number("Queue delay"),
                        name("Operator")),
                kernels.stream()
                        .map(kernel -> List.of(
                                kernel.name(),
                                kernel.device() + (kernel.communication() ? " (communication)" : ""),
                                Units.count(kernel.count()),
                                Units.duration(kernel.totalNs()),
                                Units.duration(kernel.totalNs() / Math.max(1, kernel.count())),
                                Units.duration(kernel.minNs()),
                                Units.duration(kernel.maxNs()),
                                Units.durationIfRecorded(kernel.launchLatencyNs()),
                                Units.durationIfRecorded(kernel.queueDelayNs()),
                                kernel.operator()))
                        .toList());
    }

    private static Table copies(List<CopyFigures> copies) {
        return new Table(
                "Copies and memory sets",
                "",
                List.of(
                        words("Direction"),
                        words("Memory"),
                        words("Device"),
                        number("Count"),
                        number("Bytes"),
                        number("Total"),
                        number("Longest"),
                        number("Rate")),
                copies.stream()
                        .map(copy -> List.of(
                                copy.direction(),
                                copy.memoryKinds().isEmpty() ? Units.ABSENT : copy.memoryKinds(),
                                copy.device(),
                                Units.count(copy.count()),
                                copy.sizeBytes() < 0 ? Units.ABSENT : Units.bytes(copy.sizeBytes()),
                                Units.duration(copy.totalNs()),
                                Units.duration(copy.maxNs()),
                                rate(copy)))
                        .toList());
    }

    private static String rate(CopyFigures copy) {
        return copy.sizeBytes() < 0 || copy.totalNs() <= 0
                ? Units.ABSENT
                : Units.rate(copy.sizeBytes() * 1e9 / copy.totalNs());
    }

    private static Table operators(List<OperatorFigures> operators) {
        return new Table(
                "Operators",
                "Host time, recursive calls counted once. Device time is that of operations launched directly under the operator.",
                List.of(
                        name("Operator"),
                        number("Count"),
                        number("Total"),
                        number("Self"),
                        number("Device"),
                        number("Launches"),
                        name("Most frequent input")),
                operators.stream()
                        .map(operator -> List.of(
                                operator.name(),
                                Units.count(operator.count()),
                                Units.duration(operator.totalNs()),
                                Units.duration(operator.selfNs()),
                                Units.duration(operator.deviceNs()),
                                Units.count(operator.launches()),
                                operator.inputDims()))
                        .toList());
    }

    private static Table annotations(List<ScopeFigures> scopes) {
        return new Table(
                "Annotations",
                "Work that the device hides shows up here, and not in a ledger of the device.",
                List.of(
                        name("Annotation"),
                        words("Class"),
                        number("Count"),
                        number("Wall"),
                        number("Self"),
                        number("Device busy"),
                        number("Device idle"),
                        name("Line")),
                scopes.stream()
                        .map(scope -> List.of(
                                scope.name(),
                                scope.ledgerClass().label(),
                                Units.count(scope.count()),
                                Units.duration(scope.wallNs()),
                                Units.duration(scope.selfNs()),
                                Units.duration(scope.deviceBusyNs()),
                                Units.duration(scope.deviceIdleNs()),
                                scope.where()))
                        .toList());
    }

    private static Table annotationCpu(List<ScopeFigures> scopes) {
        return new Table(
                "CPU time per annotation",
                "CPU time of the annotation's own thread; what is missing to its wall time was spent waiting.",
                List.of(
                        name("Annotation"),
                        number("Wall"),
                        number("CPU"),
                        number("CPU of wall"),
                        number("CPU per use")),
                scopes.stream()
                        .filter(scope -> scope.onCpuNs() >= 0)
                        .map(scope -> List.of(
                                scope.name(),
                                Units.duration(scope.wallNs()),
                                Units.duration(scope.onCpuNs()),
                                scope.wallNs() <= 0
                                        ? Units.ABSENT
                                        : Units.percent((double) scope.onCpuNs() / scope.wallNs()),
                                Units.duration(scope.onCpuNs() / Math.max(1, scope.count()))))
                        .toList());
    }

    private static Table threads(List<ThreadFigures> threads) {
        return new Table(
                "Threads",
                "",
                List.of(
                        name("Process"),
                        name("Thread"),
                        number("CPU"),
                        number("Waited for a CPU"),
                        number("Recorded activity"),
                        number("Launches")),
                threads.stream()
                        .map(thread -> List.of(
                                thread.process(),
                                thread.thread(),
                                Units.durationIfRecorded(thread.onCpuNs()),
                                Units.durationIfRecorded(thread.runnableNs()),
                                Units.duration(thread.recordedNs()),
                                Units.count(thread.launches())))
                        .toList());
    }

    private static Table launches(List<LaunchFigures> launches) {
        return new Table(
                "Launches",
                "Latency from the launch call's start to the operation's start; queue delay from the call's end.",
                List.of(
                        words("Device"),
                        number("Operations"),
                        number("Launch not recorded"),
                        number("Replayed by a graph"),
                        number("Least latency"),
                        number("Median latency"),
                        number("95th percentile"),
                        number("Median queue delay")),
                launches.stream()
                        .map(launch -> List.of(
                                launch.device(),
                                Units.count(launch.operations()),
                                Units.count(launch.withoutLaunch()),
                                Units.count(launch.graphReplayed()),
                                Units.durationIfRecorded(launch.minLatencyNs()),
                                Units.durationIfRecorded(launch.medianLatencyNs()),
                                Units.durationIfRecorded(launch.p95LatencyNs()),
                                Units.durationIfRecorded(launch.medianQueueDelayNs())))
                        .toList());
    }
}
