package io.inferscope.analyzer.limits;

import io.inferscope.analyzer.limits.Reading.Known;
import io.inferscope.analyzer.limits.Reading.Unknown;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * A figure of a report that a limit may name. docs/fail-on.md lists them all.
 *
 * @param name what a limit calls it
 * @param kind what its values are
 * @param meaning a few words
 * @param reader reads it from a report and, for shares, from the ledger of a part of it
 */
record Metric(String name, Kind kind, String meaning, Reader reader) {
    /** What the values of a metric are, and so what a limit may compare them with. */
    enum Kind {
        /** Part of a ledger: compared with a percentage of it, or with a time. */
        SHARE,
        /** A time. */
        TIME,
        /** A whole number. */
        COUNT,
        /** How one recording compares with another: a percentage. */
        GROWTH,
        /** One of some words. */
        WORD
    }

    /** Reads a figure. */
    interface Reader {
        /** Returns the figure of a report; {@code ledger} is that of the part that the limit names. */
        Reading read(Report report, Ledger ledger);
    }

    static final String REGRESSION = "regression";
    static final String VERDICT = "verdict";
    static final String SEVERITY = "severity";
    static final String FINDING = "finding";

    /** Every metric, in the order of the manual; classes and lines of the breakdown come last. */
    static final List<Metric> ALL = all();

    /** Returns the metric of a name. */
    static Optional<Metric> named(String name) {
        return ALL.stream().filter(metric -> metric.name.equals(name)).findFirst();
    }

    private static List<Metric> all() {
        List<Metric> all = new ArrayList<>(List.of(
                share("idle", "time in which the judged device does nothing", c -> !c.isDeviceBusy()),
                share("busy", "time in which the judged device does anything", LedgerClass::isDeviceBusy),
                share("gpu", "GPU compute", c -> c == LedgerClass.GPU_COMPUTE),
                share("copy", "exposed copies", LedgerClass::isCopy),
                share("cpu", "host threads at work, or held up by each other", LedgerClass::isHostWork),
                time("wall", "length of the window", report -> report.window().durationNs()),
                time("span", "span of the judged device", report -> device(report, DeviceFigures::spanNs)),
                time("gap", "longest idle stretch in that span", report -> device(report, DeviceFigures::longestGapNs)),
                time("step", "middle length of the steps with most time", r -> step(r, StepFigures::medianNs)),
                time("step.p95", "their 95th percentile", r -> step(r, StepFigures::p95Ns)),
                time(
                        "request",
                        "median latency, of the slowest kind of request",
                        r -> most(r, RequestFigures::medianNs)),
                time("request.p95", "its 95th percentile", r -> most(r, RequestFigures::p95Ns)),
                time("ttft", "median time to the first byte or token", r -> most(r, RequestFigures::medianFirstNs)),
                time("ttft.p95", "its 95th percentile", r -> most(r, RequestFigures::p95FirstNs)),
                new Metric(
                        "failed-checks",
                        Kind.COUNT,
                        "trust checks that the recording failed",
                        (report, ledger) -> new Known(report.trust().stream()
                                .filter(check -> !check.passed())
                                .count())),
                word(VERDICT, "what limits the program: cpu, gpu, copy, ..."),
                word(SEVERITY, "the severest finding: info, warning, critical"),
                word(FINDING, "id of a rule that found something"),
                new Metric(
                        REGRESSION,
                        Kind.GROWTH,
                        "growth of the time per unit, of diff alone",
                        (report, ledger) ->
                                new Unknown("one recording is compared with nothing: use inferscope diff"))));
        for (LedgerClass.Rollup line : LedgerClass.Rollup.values()) {
            add(all, share(line.id(), line.label(true), c -> c.rollup() == line));
        }
        for (LedgerClass ledgerClass : LedgerClass.values()) {
            add(all, share(ledgerClass.id(), ledgerClass.label(), c -> c.id().equals(ledgerClass.id())));
        }
        return List.copyOf(all);
    }

    private static void add(List<Metric> all, Metric metric) {
        if (all.stream().noneMatch(known -> known.name.equals(metric.name))) {
            all.add(metric);
        }
    }

    private static Metric share(String name, String meaning, Predicate<LedgerClass> classes) {
        boolean ofDevice = name.equals("idle") || name.equals("busy") || name.startsWith("gpu");
        return new Metric(name, Kind.SHARE, meaning, (report, ledger) -> {
            if (ofDevice && !report.hasDeviceWork()) {
                return new Unknown("no device work is recorded");
            }
            return new Known(ledger.entries().stream()
                    .filter(entry -> classes.test(entry.ledgerClass()))
                    .mapToLong(Ledger.Entry::ns)
                    .sum());
        });
    }

    private static Metric time(String name, String meaning, ToLongFunction<Report> reader) {
        return new Metric(name, Kind.TIME, meaning, (report, ledger) -> {
            long ns = reader.applyAsLong(report);
            return ns < 0 ? new Unknown("not recorded") : new Known(ns);
        });
    }

    /** A word is compared by {@link Limit} itself. */
    private static Metric word(String name, String meaning) {
        return new Metric(name, Kind.WORD, meaning, (report, ledger) -> new Unknown("not a number"));
    }

    private static long device(Report report, ToLongFunction<DeviceFigures> figure) {
        return report.devices().stream()
                .filter(device -> report.judged().subject().equals("device " + device.id()))
                .mapToLong(figure)
                .findFirst()
                .orElse(-1);
    }

    private static long step(Report report, ToLongFunction<StepFigures> figure) {
        List<StepFigures> steps = report.steps().steps();
        return steps.isEmpty() ? -1 : figure.applyAsLong(steps.get(0));
    }

    private static long most(Report report, ToLongFunction<RequestFigures> figure) {
        return report.host().requests().stream().mapToLong(figure).max().orElse(-1);
    }

    /** Returns the detail of a trust check that leaves the figures of a report without meaning. */
    static Optional<String> distrust(Report report) {
        return report.trust().stream()
                .filter(check -> !check.passed() && check.withholds())
                .map(TrustCheck::detail)
                .findFirst();
    }
}
