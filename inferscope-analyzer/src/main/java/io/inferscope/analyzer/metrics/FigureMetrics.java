package io.inferscope.analyzer.metrics;

import static io.inferscope.analyzer.model.MeasureUnit.BYTES;
import static io.inferscope.analyzer.model.MeasureUnit.COUNT;
import static io.inferscope.analyzer.model.MeasureUnit.NS;
import static io.inferscope.analyzer.model.MeasureUnit.RATIO;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.analyzer.tables.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Figures that are no time of a ledger: the verdict, and lines of the tables of the judged device. */
final class FigureMetrics {
    private final List<Metric> metrics = new ArrayList<>();

    private FigureMetrics() {}

    static List<Metric> all() {
        FigureMetrics figures = new FigureMetrics();
        figures.verdict();
        figures.device();
        figures.launches();
        figures.kernels();
        figures.copies();
        figures.host();
        figures.steps();
        figures.requests();
        return figures.metrics;
    }

    private void verdict() {
        for (Bound bound : Bound.values()) {
            add(
                    "verdict." + bound.id(),
                    COUNT,
                    "1 where the verdict is " + bound.id() + ", else 0",
                    facts -> OptionalDouble.of(facts.verdict().bound() == bound ? 1 : 0));
        }
        add(
                "verdict.margin.share",
                RATIO,
                "from the verdict to the next one",
                facts -> OptionalDouble.of(facts.verdict().marginPoints() / 100));
    }

    private void device() {
        device("device.busy.share", RATIO, "busy time of its span", d -> ratio(d.busyNs(), d.spanNs()));
        device("device.span-idle-ns", NS, "idle time in its span", DeviceFigures::spanIdleNs);
        device("device.window-idle-ns", NS, "idle time in the window", DeviceFigures::windowIdleNs);
        device("device.gaps", COUNT, "idle gaps in its span", DeviceFigures::gaps);
        device("device.longest-gap-ns", NS, "the longest of them", DeviceFigures::longestGapNs);
        device(
                "device.operations",
                COUNT,
                "kernels, copies and sets",
                d -> d.operations().values().stream().mapToLong(Long::longValue).sum());
        add(
                "devices.count",
                COUNT,
                "devices at work",
                facts -> OptionalDouble.of(facts.analysis().devices().size()));
    }

    private void launches() {
        launch(
                "launch.without-launch.share",
                RATIO,
                "operations whose launch is not recorded",
                l -> ratio(l.withoutLaunch(), l.operations()));
        launch(
                "launch.graph-replayed.share",
                RATIO,
                "operations that a graph launch replayed",
                l -> ratio(l.graphReplayed(), l.operations()));
        launch("launch.least-latency-ns", NS, "smallest launch latency", LaunchFigures::minLatencyNs);
        launch("launch.median-latency-ns", NS, "median launch latency", LaunchFigures::medianLatencyNs);
        launch("launch.p95-latency-ns", NS, "95th percentile of launch latency", LaunchFigures::p95LatencyNs);
        launch("launch.median-queue-delay-ns", NS, "median queue delay", LaunchFigures::medianQueueDelayNs);
    }

    private void kernels() {
        kernels("kernels.count", COUNT, "kernels", k -> (double) total(k, KernelFigures::count));
        kernels(
                "kernels.mean-ns",
                NS,
                "mean length of a kernel",
                k -> ratio(total(k, KernelFigures::totalNs), total(k, KernelFigures::count)));
        kernels(
                "kernels.largest.share",
                RATIO,
                "part of all kernel time that one name has",
                k -> ratio(k.get(0).totalNs(), total(k, KernelFigures::totalNs)));
    }

    private void copies() {
        for (String direction : List.of("h2d", "d2h", "d2d", "p2p")) {
            copies(direction, "count", COUNT, "number", CopyFigures::count);
            copies(direction, "bytes", BYTES, "size", c -> Math.max(0, c.sizeBytes()));
            copies(direction, "ns", NS, "summed length", CopyFigures::totalNs);
        }
    }

    private void host() {
        add(
                "threads.count",
                COUNT,
                "host threads with anything recorded, at most 50",
                facts -> OptionalDouble.of(Tables.of(facts.analysis()).threads().size()));
        add("threads.on-cpu-ns", NS, "CPU time of those threads", facts -> {
            List<ThreadFigures> threads = Tables.of(facts.analysis()).threads();
            boolean recorded = threads.stream().anyMatch(thread -> thread.onCpuNs() >= 0);
            return recorded ? sum(threads, thread -> Math.max(0, thread.onCpuNs())) : OptionalDouble.empty();
        });
    }

    private void steps() {
        steps("steps.count", COUNT, "steps of the sort that takes most time", StepFigures::count);
        steps("steps.median-ns", NS, "their median length", StepFigures::medianNs);
        steps("steps.p95-ns", NS, "95th percentile of that", StepFigures::p95Ns);
        steps("steps.longest-ns", NS, "the longest of them", StepFigures::maxNs);
        steps("steps.median-busy-ns", NS, "median time in which the device was busy in one", StepFigures::medianBusyNs);
        steps("steps.median-idle-ns", NS, "median time in which it was idle in one", StepFigures::medianIdleNs);
    }

    private void requests() {
        requests("requests.count", COUNT, "requests of the most frequent kind", RequestFigures::count);
        requests("requests.median-ns", NS, "their median time to the end of the answer", RequestFigures::medianNs);
        requests("requests.p95-ns", NS, "95th percentile of that", RequestFigures::p95Ns);
        requests("requests.median-first-ns", NS, "their median time to the first token", RequestFigures::medianFirstNs);
        requests("requests.p95-first-ns", NS, "95th percentile of that", RequestFigures::p95FirstNs);
    }

    private void add(String name, MeasureUnit unit, String what, Metric.Source source) {
        metrics.add(new Metric(name, unit, what, source));
    }

    private void device(String name, MeasureUnit unit, String what, ToDoubleFunction<DeviceFigures> figure) {
        ofDevice(name, unit, what, a -> Tables.of(a).devices(), DeviceFigures::id, figure);
    }

    private void launch(String name, MeasureUnit unit, String what, ToDoubleFunction<LaunchFigures> figure) {
        ofDevice(name, unit, what, a -> Tables.of(a).launches(), LaunchFigures::device, figure);
    }

    /** A figure of the judged device's line in a table; below 0 it was not recorded. */
    private <T> void ofDevice(
            String name,
            MeasureUnit unit,
            String what,
            Function<Analysis, List<T>> table,
            Function<T, String> device,
            ToDoubleFunction<T> figure) {
        add(
                name,
                unit,
                what,
                facts -> facts.analysis()
                        .headline()
                        .flatMap(judged -> table.apply(facts.analysis()).stream()
                                .filter(line -> device.apply(line).equals(judged.id()))
                                .findFirst())
                        .map(line -> recorded(figure.applyAsDouble(line)))
                        .orElseGet(OptionalDouble::empty));
    }

    private void kernels(String name, MeasureUnit unit, String what, ToDoubleFunction<List<KernelFigures>> figure) {
        add(name, unit, what + ", of the 50 longest names on the judged device", facts -> {
            List<KernelFigures> kernels =
                    ofJudged(facts.analysis(), Tables.of(facts.analysis()).kernels(), KernelFigures::device);
            return kernels.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(figure.applyAsDouble(kernels));
        });
    }

    private void copies(
            String direction, String last, MeasureUnit unit, String what, ToLongFunction<CopyFigures> figure) {
        add(
                "copies." + direction + '.' + last,
                unit,
                what + " of " + direction.toUpperCase(java.util.Locale.ROOT) + " copies of the judged device",
                facts -> facts.analysis().headline().isEmpty()
                        ? OptionalDouble.empty()
                        : sum(
                                ofJudged(
                                                facts.analysis(),
                                                Tables.of(facts.analysis()).copies(),
                                                CopyFigures::device)
                                        .stream()
                                        .filter(copy -> copy.direction().equalsIgnoreCase(direction))
                                        .toList(),
                                figure));
    }

    private void steps(String name, MeasureUnit unit, String what, ToLongFunction<StepFigures> figure) {
        add(
                name,
                unit,
                what,
                facts -> Tables.of(facts.analysis()).steps().steps().stream()
                        .findFirst()
                        .map(steps -> recorded((double) figure.applyAsLong(steps)))
                        .orElseGet(OptionalDouble::empty));
    }

    private void requests(String name, MeasureUnit unit, String what, ToLongFunction<RequestFigures> figure) {
        add(
                name,
                unit,
                what,
                facts -> Tables.of(facts.analysis()).host().requests().stream()
                        .findFirst()
                        .map(requests -> recorded((double) figure.applyAsLong(requests)))
                        .orElseGet(OptionalDouble::empty));
    }

    private static <T> List<T> ofJudged(Analysis analysis, List<T> table, Function<T, String> device) {
        String id = analysis.headline().map(DeviceActivity::id).orElse("");
        return table.stream().filter(line -> device.apply(line).equals(id)).toList();
    }

    /** As a double: totals stay far below 2^53. */
    private static <T> OptionalDouble sum(List<T> lines, ToLongFunction<T> figure) {
        return OptionalDouble.of((double) total(lines, figure));
    }

    private static <T> long total(List<T> lines, ToLongFunction<T> figure) {
        return lines.stream().mapToLong(figure).sum();
    }

    private static double ratio(long part, long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }

    private static OptionalDouble recorded(double value) {
        return value < 0 ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
