package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.name;
import static io.inferscope.report.tables.Table.number;
import static io.inferscope.report.tables.Table.words;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Tables about devices and their idle time. */
final class IdleTables {
    private IdleTables() {}

    static List<Table> of(Report report) {
        return List.of(devices(report), byCause(report), byLine(report), blame(report));
    }

    private static Table devices(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (DeviceFigures device : report.devices()) {
            rows.add(List.of(
                    device.id(),
                    device.name(),
                    operations(device),
                    Units.duration(device.spanNs()),
                    Units.duration(device.busyNs()),
                    Units.duration(device.spanIdleNs()),
                    Units.duration(device.windowIdleNs()),
                    Units.count(device.gaps()),
                    Units.duration(device.longestGapNs())));
        }
        return new Table(
                "Devices",
                "Busy is the union of kernels, copies and memory sets over all streams. Gaps are counted within the span.",
                List.of(
                        words("Device"),
                        name("Name"),
                        words("Operations"),
                        number("Span"),
                        number("Busy"),
                        number("Span idle"),
                        number("Window idle"),
                        number("Gaps"),
                        number("Longest gap")),
                rows);
    }

    private static String operations(DeviceFigures device) {
        List<String> words = new ArrayList<>();
        new TreeMap<>(device.operations()).forEach((kind, count) -> words.add(Units.count(count) + " " + kind));
        return String.join(", ", words);
    }

    private static Table byCause(Report report) {
        return sums(
                report,
                "Idle time by cause",
                "",
                words("Cause"),
                blame -> blame.cause().label());
    }

    private static Table byLine(Report report) {
        return sums(
                report,
                "Idle time by code line",
                "Only where the recording knows the line.",
                name("Line"),
                BlameFigures::where);
    }

    /** Sums idle time of all devices by a text; the empty text is left out. Several devices are idle at the same time, which is said. */
    private static Table sums(
            Report report, String title, String intro, Table.Column column, Function<BlameFigures, String> by) {
        Map<String, IdleSum> sums = new TreeMap<>();
        report.idleBlame()
                .forEach(blame -> sums.computeIfAbsent(by.apply(blame), text -> new IdleSum())
                        .add(blame));
        long idleNs = sums.values().stream().mapToLong(IdleSum::totalNs).sum();
        sums.remove("");
        List<String> devices = report.devices().stream().map(DeviceFigures::id).toList();
        boolean several = devices.size() > 1;
        List<Table.Column> columns = new ArrayList<>(List.of(column, number("Idle"), number("Of all idle time")));
        if (several) {
            columns.add(words("Per device"));
        }
        List<List<String>> rows = sums.entrySet().stream()
                .sorted(Map.Entry.<String, IdleSum>comparingByValue(
                                Comparator.comparingLong(IdleSum::totalNs).reversed())
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(entry -> {
                    long ns = entry.getValue().totalNs();
                    List<String> row = new ArrayList<>(List.of(
                            entry.getKey(), Units.duration(ns), Units.percent(idleNs == 0 ? 0 : (double) ns / idleNs)));
                    if (several) {
                        row.add(entry.getValue().perDevice(devices));
                    }
                    return row;
                })
                .toList();
        String summed = several
                ? "Summed over " + devices.size()
                        + " devices, which are idle at the same time: it may be more than the window. "
                : "";
        return new Table(title, (summed + intro).strip(), columns, rows);
    }

    private static Table blame(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (BlameFigures blame : report.idleBlame()) {
            rows.add(List.of(
                    blame.device(),
                    blame.phase(),
                    blame.cause().label(),
                    blame.state(),
                    blame.activity(),
                    blame.where(),
                    blame.thread(),
                    Units.duration(blame.ns()),
                    Units.count(blame.gaps()),
                    ReportTables.basis(blame.estimated(), blame.boundNs())));
        }
        return new Table(
                "Idle time by cause and place",
                "What the host thread that the device waited for was doing.",
                List.of(
                        words("Device"),
                        words("Phase"),
                        words("Cause"),
                        words("State"),
                        name("Activity"),
                        name("Line"),
                        name("Thread"),
                        number("Idle"),
                        number("Gaps"),
                        words("Basis")),
                rows);
    }
}
