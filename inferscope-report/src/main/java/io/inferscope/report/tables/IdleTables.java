package io.inferscope.report.tables;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Tables about devices and their idle time. */
final class IdleTables {
    private IdleTables() {}

    static List<Table> of(Report report) {
        return List.of(RowTable.of(report, Report.DEVICES), byCause(report), byLine(report));
    }

    private static Table byCause(Report report) {
        return sums(
                report,
                "Idle time by cause",
                "",
                Table.Kind.WORDS,
                "Cause",
                blame -> blame.cause().label());
    }

    private static Table byLine(Report report) {
        return sums(
                report,
                "Idle time by code line",
                "Only where the recording knows the line.",
                Table.Kind.NAME,
                "Line",
                BlameFigures::where);
    }

    /**
     * Sums idle time of all devices by a text; the empty text is left out. Several devices can be idle at the same
     * time, which the intro states.
     */
    private static Table sums(
            Report report,
            String title,
            String intro,
            Table.Kind kind,
            String heading,
            Function<BlameFigures, String> by) {
        Map<String, IdleSum> sums = new TreeMap<>();
        report.rows(Report.IDLE_BLAME)
                .forEach(blame -> sums.computeIfAbsent(by.apply(blame), text -> new IdleSum())
                        .add(blame));
        long idleNs = sums.values().stream().mapToLong(IdleSum::totalNs).sum();
        sums.remove("");
        List<String> devices =
                report.rows(Report.DEVICES).stream().map(DeviceFigures::id).toList();
        boolean several = devices.size() > 1;
        String summed = several
                ? "Summed over " + devices.size()
                        + " devices, which are idle at the same time: it may be more than the window. "
                : "";
        List<Map.Entry<String, IdleSum>> largestFirst = sums.entrySet().stream()
                .sorted(Order.<String, IdleSum>comparingByValue(
                                Order.comparingLong(IdleSum::totalNs).reversed())
                        .thenComparing(Order.comparingByKey()))
                .toList();
        return Table.of(title, (summed + intro).strip(), largestFirst, (row, sum) -> {
            long ns = sum.getValue().totalNs();
            row.add(heading, kind, sum.getKey())
                    .time("Idle", ns)
                    .number("Of all idle time", Units.percent(idleNs == 0 ? 0 : (double) ns / idleNs));
            if (several) {
                row.words("Per device", sum.getValue().perDevice(devices));
            }
        });
    }

    /** Idle time with something in common, by device. */
    private static final class IdleSum {
        private final Map<String, Long> byDevice = new HashMap<>();

        void add(BlameFigures blame) {
            byDevice.merge(blame.device(), blame.ns(), Long::sum);
        }

        /** Returns the sum over all devices, in ns. */
        long totalNs() {
            return byDevice.values().stream().mapToLong(Long::longValue).sum();
        }

        /** Returns the least and the most of any device, with these devices' names; one figure if all have the same. */
        String perDevice(List<String> devices) {
            Comparator<String> byTime = Order.comparingLong(this::ns);
            String least = devices.stream().min(byTime).orElseThrow();
            // The first of equal ones, as for the least.
            String most = devices.stream().sorted(byTime.reversed()).findFirst().orElseThrow();
            String leastText = Units.duration(ns(least));
            String mostText = Units.duration(ns(most));
            return leastText.equals(mostText)
                    ? mostText + " each"
                    : leastText + " (device " + least + ") to " + mostText + " (device " + most + ")";
        }

        private long ns(String device) {
            return byDevice.getOrDefault(device, 0L);
        }
    }
}
