package io.inferscope.analyzer.metrics;

import static io.inferscope.analyzer.model.MeasureUnit.BYTES;
import static io.inferscope.analyzer.model.MeasureUnit.COUNT;
import static io.inferscope.analyzer.model.MeasureUnit.NS;
import static io.inferscope.analyzer.model.MeasureUnit.RATIO;

import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Figures that are no time of a ledger: the verdict, and what the tables say of the judged device, the host, steps and requests. */
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
     * @param lines what of the table is meant; empty where it is not recorded
     */
    private record Table<T>(List<Metric> metrics, Function<Facts, Optional<T>> lines) {
        void add(String name, String shortName, MeasureUnit unit, String what, ToDoubleFunction<T> figure) {
            metrics.add(new Metric(
                    name,
                    shortName,
                    unit,
                    what,
                    facts -> lines.apply(facts)
                            .map(found -> recorded(figure.applyAsDouble(found)))
                            .orElseGet(OptionalDouble::empty)));
        }

        void add(String name, MeasureUnit unit, String what, ToDoubleFunction<T> figure) {
            add(name, "", unit, what, figure);
        }

        /** Tables say by a value below 0 that something was not recorded. */
        private static OptionalDouble recorded(double value) {
            return value < 0 ? OptionalDouble.empty() : OptionalDouble.of(value);
        }
    }

    private <T> Table<T> table(Function<Facts, Optional<T>> lines) {
        return new Table<>(metrics, lines);
    }

    /** A table of which the first line of the judged device is meant. */
    private <T> Table<T> ofDevice(Function<Facts, List<T>> lines, Function<T, String> device) {
        return table(facts -> ofDevice(facts, lines, device).stream().findFirst());
    }

    private static <T> List<T> ofDevice(Facts facts, Function<Facts, List<T>> lines, Function<T, String> device) {
        String judged = facts.device().orElse("");
        return lines.apply(facts).stream()
                .filter(line -> device.apply(line).equals(judged))
                .toList();
    }

    private static <T> Optional<List<T>> unlessEmpty(List<T> lines) {
        return lines.isEmpty() ? Optional.empty() : Optional.of(lines);
    }

    private void verdict() {
        Table<Facts> whole = table(Optional::of);
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
                facts -> facts.devices().size());
    }

    private void device() {
        Table<DeviceFigures> device = ofDevice(Facts::devices, DeviceFigures::id);
        device.add("device.busy.share", RATIO, "busy time of its span", d -> ratio(d.busyNs(), d.spanNs()));
        device.add("device.span-idle-ns", NS, "idle time in its span", DeviceFigures::spanIdleNs);
        device.add("device.window-idle-ns", NS, "idle time in the window", DeviceFigures::windowIdleNs);
        device.add("device.gaps", COUNT, "idle gaps in its span", DeviceFigures::gaps);
        device.add("device.longest-gap-ns", "gap", NS, "the longest of them", DeviceFigures::longestGapNs);
        device.add(
                "device.operations",
                COUNT,
                "kernels, copies and sets",
                d -> d.operations().values().stream().mapToLong(Long::longValue).sum());
    }

    private void launches() {
        Table<LaunchFigures> launches = ofDevice(Facts::launches, LaunchFigures::device);
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
        launches.add("launch.least-latency-ns", NS, "smallest launch latency", LaunchFigures::minLatencyNs);
        launches.add("launch.median-latency-ns", NS, "median launch latency", LaunchFigures::medianLatencyNs);
        launches.add("launch.p95-latency-ns", NS, "95th percentile of launch latency", LaunchFigures::p95LatencyNs);
        launches.add("launch.median-queue-delay-ns", NS, "median queue delay", LaunchFigures::medianQueueDelayNs);
    }

    private void kernels() {
        Table<List<KernelFigures>> kernels =
                table(facts -> unlessEmpty(ofDevice(facts, Facts::kernels, KernelFigures::device)));
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
        for (String direction : List.of("h2d", "d2h", "d2d", "p2p")) {
            Table<List<CopyFigures>> copies = table(facts -> facts.device()
                    .map(device -> ofDevice(facts, Facts::copies, CopyFigures::device).stream()
                            .filter(copy -> copy.direction().equalsIgnoreCase(direction))
                            .toList()));
            String name = "copies." + direction + '.';
            String of = " of " + direction.toUpperCase(Locale.ROOT) + " copies of the judged device";
            copies.add(name + "count", COUNT, "number" + of, c -> (double) total(c, CopyFigures::count));
            copies.add(name + "bytes", BYTES, "size" + of, c ->
                    (double) total(c, copy -> Math.max(0, copy.sizeBytes())));
            copies.add(name + "ns", NS, "summed length" + of, c -> (double) total(c, CopyFigures::totalNs));
        }
    }

    private void host() {
        table(facts -> Optional.of(facts.threads()))
                .add("threads.count", COUNT, "host threads with anything recorded, at most 50", List::size);
        Table<List<ThreadFigures>> measured = table(facts -> unlessEmpty(
                facts.threads().stream().filter(thread -> thread.onCpuNs() >= 0).toList()));
        measured.add(
                "threads.on-cpu-ns", NS, "CPU time of those threads", t -> (double) total(t, ThreadFigures::onCpuNs));
    }

    private void steps() {
        Table<StepFigures> steps = table(facts -> facts.steps().stream().findFirst());
        steps.add("steps.count", COUNT, "steps of the sort that takes most time", StepFigures::count);
        steps.add("steps.median-ns", "step", NS, "their median length", StepFigures::medianNs);
        steps.add("steps.p95-ns", "step.p95", NS, "95th percentile of that", StepFigures::p95Ns);
        steps.add("steps.longest-ns", NS, "the longest of them", StepFigures::maxNs);
        steps.add(
                "steps.median-busy-ns",
                NS,
                "median time in which the device was busy in one",
                StepFigures::medianBusyNs);
        steps.add("steps.median-idle-ns", NS, "median time in which it was idle in one", StepFigures::medianIdleNs);
    }

    /** A limit on requests must hold for every kind of them: each figure is that of the kind for which it is largest. */
    private void requests() {
        Table<List<RequestFigures>> requests = table(facts -> unlessEmpty(facts.requests()));
        requests.add("requests.count", COUNT, "requests of the most frequent kind", most(RequestFigures::count));
        requests.add(
                "requests.median-ns",
                "request",
                NS,
                "median time to the end of the answer, of the slowest kind of request",
                most(RequestFigures::medianNs));
        requests.add(
                "requests.p95-ns",
                "request.p95",
                NS,
                "95th percentile of that, of the slowest kind",
                most(RequestFigures::p95Ns));
        requests.add(
                "requests.median-first-ns",
                "ttft",
                NS,
                "median time to the first byte or token, of the slowest kind",
                most(RequestFigures::medianFirstNs));
        requests.add(
                "requests.p95-first-ns",
                "ttft.p95",
                NS,
                "95th percentile of that, of the slowest kind",
                most(RequestFigures::p95FirstNs));
        tokens();
    }

    private void tokens() {
        Table<List<RequestTime>> requests = table(facts -> unlessEmpty(facts.requestTimes()));
        requests.add(
                "requests.median-per-token-ns",
                "tpot",
                NS,
                "median of the mean time per token after the first, of the slowest kind",
                most(RequestTime::medianPerTokenNs));
        requests.add(
                "requests.median-token-ns",
                "itl",
                NS,
                "median time from one token to the next, of the slowest kind",
                most(r -> r.tokens().medianNs()));
        requests.add(
                "requests.p95-token-ns",
                "itl.p95",
                NS,
                "95th percentile of that, of the slowest kind",
                most(r -> r.tokens().p95Ns()));
        requests.add(
                "requests.p99-token-ns",
                "itl.p99",
                NS,
                "99th percentile of that, of the slowest kind",
                most(r -> r.tokens().p99Ns()));
        requests.add(
                "requests.longest-token-ns",
                NS,
                "the longest such time, of the slowest kind",
                most(r -> r.tokens().maxNs()));
    }

    private static <T> ToDoubleFunction<List<T>> most(ToLongFunction<T> figure) {
        return kinds -> (double) kinds.stream().mapToLong(figure).max().orElse(-1);
    }

    private static <T> long total(List<T> lines, ToLongFunction<T> figure) {
        return lines.stream().mapToLong(figure).sum();
    }

    private static double ratio(long part, long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }
}
