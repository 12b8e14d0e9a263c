package io.inferscope.report.tables;

import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Units;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Idle time with something in common, by device. */
final class IdleSum {
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
        Comparator<String> byTime = Comparator.comparingLong(this::ns);
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
