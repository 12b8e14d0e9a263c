package io.inferscope.analyzer.metrics;

import static io.inferscope.analyzer.model.MeasureUnit.BYTES;
import static io.inferscope.analyzer.model.MeasureUnit.COUNT;
import static io.inferscope.analyzer.model.MeasureUnit.NS;
import static io.inferscope.analyzer.model.MeasureUnit.RATIO;

import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.RequestTables;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.analyzer.model.TableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Figures other than ledger times: the verdict, and table figures of the judged device, the host, steps and requests.
 */
final class FigureMetrics {
    private static final String LONGEST_NAMES = ", of the 50 longest names on the judged device";

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

    /**
     * Figures of one table.
     *
     * @param lines returns the rows that the figures refer to; empty if not recorded
     */
    private record Table<T>(List<Metric> metrics, Function<FigureSource, Optional<T>> lines) {
        void add(String name, MeasureUnit unit, String what, ToDoubleFunction<T> figure) {
            metrics.add(new Metric(
                    name,
                    "",
                    unit,
                    what,
                    facts -> lines.apply(facts)
                            .map(found -> recorded(figure.applyAsDouble(found)))
                            .orElseGet(OptionalDouble::empty)));
        }

        /** A value below 0 in a table means "not recorded". */
        private static OptionalDouble recorded(double value) {
            return value < 0 ? OptionalDouble.empty() : OptionalDouble.of(value);
        }
    }

    private <T> Table<T> table(Function<FigureSource, Optional<T>> lines) {
        return new Table<>(metrics, lines);
    }

    /** A table whose figures refer to the judged device's first row. */
    private <T extends Record & Row> Table<T> ofDevice(TableId<T> table, Function<T, String> device) {
        return table(facts -> ofDevice(facts, table, device).stream().findFirst());
    }

    private static <T extends Record & Row> List<T> ofDevice(
            FigureSource facts, TableId<T> table, Function<T, String> device) {
        String judged = facts.device().orElse("");
        return facts.tables().rows(table).stream()
                .filter(line -> device.apply(line).equals(judged))
                .toList();
    }

    private static <T> Optional<List<T>> unlessEmpty(List<T> lines) {
        return lines.isEmpty() ? Optional.empty() : Optional.of(lines);
    }

    private void verdict() {
        Table<FigureSource> whole = table(Optional::of);
        for (Bound bound : Bound.values()) {
            whole.add(
                    "verdict." + bound.id(),
                    COUNT,
                    "1 where the verdict is " + bound.id() + ", else 0",
                    facts -> facts.verdict().bound() == bound ? 1 : 0);
        }
        whole.add(
                "verdict.margin.share",
                RATIO,
                "from the verdict to the next one",
                facts -> facts.verdict().marginPoints() / 100);
        whole.add("failed-checks", COUNT, "trust checks that the recording failed", facts ->
                (double) facts.trust().stream().filter(check -> !check.passed()).count());
        whole.add(
                "devices.count",
                COUNT,
                "devices at work",
                facts -> facts.tables().rows(Report.DEVICES).size());
    }

    private void device() {
        metrics.addAll(ColumnMetrics.of(
                "device", DeviceFigures.class, facts -> ofDevice(facts, Report.DEVICES, DeviceFigures::id)));
        Table<DeviceFigures> device = ofDevice(Report.DEVICES, DeviceFigures::id);
        device.add("device.busy.share", RATIO, "busy time of its span", d -> ratio(d.busyNs(), d.spanNs()));
        device.add(
                "device.operations",
                COUNT,
                "kernels, copies and sets",
                d -> d.operations().values().stream().mapToLong(Long::longValue).sum());
    }

    private void launches() {
        metrics.addAll(ColumnMetrics.of(
                "launch", LaunchFigures.class, facts -> ofDevice(facts, Report.LAUNCHES, LaunchFigures::device)));
        Table<LaunchFigures> launches = ofDevice(Report.LAUNCHES, LaunchFigures::device);
        launches.add(
                "launch.without-launch.share",
                RATIO,
                "operations whose launch is not recorded",
                l -> ratio(l.withoutLaunch(), l.operations()));
        launches.add(
                "launch.graph-replayed.share",
                RATIO,
                "operations that a graph launch replayed",
                l -> ratio(l.graphReplayed(), l.operations()));
    }

    private void kernels() {
        Table<List<KernelFigures>> kernels =
                table(facts -> unlessEmpty(ofDevice(facts, Report.KERNELS, KernelFigures::device)));
        kernels.add("kernels.count", COUNT, "kernels" + LONGEST_NAMES, k -> (double) total(k, KernelFigures::count));
        kernels.add(
                "kernels.mean-ns",
                NS,
                "mean length of a kernel" + LONGEST_NAMES,
                k -> ratio(total(k, KernelFigures::totalNs), total(k, KernelFigures::count)));
        kernels.add(
                "kernels.largest.share",
                RATIO,
                "part of all kernel time that one name has" + LONGEST_NAMES,
                k -> ratio(k.get(0).totalNs(), total(k, KernelFigures::totalNs)));
    }

    private void copies() {
        for (CopyDirection direction :
                List.of(CopyDirection.H2D, CopyDirection.D2H, CopyDirection.D2D, CopyDirection.P2P)) {
            Table<List<CopyFigures>> copies = table(facts -> facts.device()
                    .map(device -> ofDevice(facts, Report.COPIES, CopyFigures::device).stream()
                            .filter(copy -> copy.direction() == direction)
                            .toList()));
            String name = "copies." + direction.id().toLowerCase(Locale.ROOT) + '.';
            String of = " of " + direction.id() + " copies of the judged device";
            copies.add(name + "count", COUNT, "number" + of, c -> (double) total(c, CopyFigures::count));
            copies.add(name + "bytes", BYTES, "size" + of, c -> (double) total(c, CopyFigures::recordedBytes));
            copies.add(name + "ns", NS, "summed length" + of, c -> (double) total(c, CopyFigures::totalNs));
        }
    }

    private void host() {
        table(facts -> Optional.of(facts.tables().rows(Report.THREADS)))
                .add("threads.count", COUNT, "host threads with anything recorded, at most 50", List::size);
        Table<List<ThreadFigures>> measured = table(facts -> unlessEmpty(facts.tables().rows(Report.THREADS).stream()
                .filter(thread -> thread.onCpuNs() != null)
                .toList()));
        measured.add("threads.on-cpu-ns", NS, "CPU time of those threads", t ->
                (double) total(t, ThreadFigures::recordedCpuNs));
    }

    /** Figures of the kind of step that takes most time. */
    private void steps() {
        metrics.addAll(ColumnMetrics.of(
                "steps",
                StepFigures.class,
                facts -> facts.tables().rows(StepTables.STEPS).stream().limit(1).toList()));
    }

    /** A limit on requests must hold for every kind of request, so each figure is the largest over the kinds. */
    private void requests() {
        metrics.addAll(ColumnMetrics.of(
                "requests", RequestFigures.class, facts -> facts.tables().rows(HostTables.REQUESTS)));
        Set<String> known = metrics.stream().map(Metric::name).collect(Collectors.toSet());
        ColumnMetrics.of("requests", RequestTime.class, facts -> facts.tables().rows(RequestTables.REQUEST_TIME))
                .stream()
                .filter(metric -> !known.contains(metric.name()))
                .forEach(metrics::add);
    }

    private static <T> long total(List<T> lines, ToLongFunction<T> figure) {
        return lines.stream().mapToLong(figure).sum();
    }

    private static double ratio(long part, long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }
}
