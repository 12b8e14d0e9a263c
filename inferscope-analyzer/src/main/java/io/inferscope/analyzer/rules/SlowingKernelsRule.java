package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Reports that all kernels get slower together although what is launched stays the same: the clock fell, or something
 * else uses the GPU. Basis and thresholds: docs/rules/slowing-kernels.md.
 */
final class SlowingKernelsRule extends Rule {
    private static final int LEAST_LAUNCHES = 20;
    private static final int LEAST_KERNELS = 3;
    private static final int MOST_PLACES = 3;

    /** The launches of one kernel, in the order of their beginning. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Compared(String name, long[] lengthsNs) {
        private long median(int from, int to) {
            Percentiles samples = new Percentiles();
            Arrays.stream(lengthsNs, from, to).forEach(samples::add);
            return samples.percentile(50);
        }

        long firstNs() {
            return Math.max(1, median(0, lengthsNs.length / 4));
        }

        long lastNs() {
            return median(lengthsNs.length - lengthsNs.length / 4, lengthsNs.length);
        }

        long ns() {
            return Arrays.stream(lengthsNs).sum();
        }

        /** Returns the time above that of as many launches of the first quarter. */
        long moreNs() {
            return Math.max(0, ns() - firstNs() * lengthsNs.length);
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        if (!analysis.timeline().has(Attribute.GRID_BLOCKS)) {
            return new Verdict.NotApplicable("the launch configurations of kernels are not recorded");
        }
        List<Compared> compared = compared(analysis, device);
        double longer = 1 + limit(analysis, "longer");
        List<Compared> slower = compared.stream()
                .filter(kernel -> kernel.lastNs() >= longer * kernel.firstNs())
                .sorted(Order.comparingLong(Compared::moreNs).reversed())
                .toList();
        long comparedNs = compared.stream().mapToLong(Compared::ns).sum();
        long slowerNs = slower.stream().mapToLong(Compared::ns).sum();
        long costNs = slower.stream().mapToLong(Compared::moreNs).sum();
        Ledger ledger = analysis.ledger();
        if (slower.size() < LEAST_KERNELS
                || slowerNs < limit(analysis, "together") * comparedNs
                || ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("of the time of kernels that are launched often in the same shape, "
                    + Units.percent(comparedNs == 0 ? 0 : (double) slowerNs / comparedNs)
                    + " is of kernels that got slower");
        }
        double firstNs = slower.stream()
                .mapToDouble(one -> (double) one.firstNs() * one.lengthsNs().length)
                .sum();
        double lastNs = slower.stream()
                .mapToDouble(one -> (double) one.lastNs() * one.lengthsNs().length)
                .sum();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("longer", Units.percent(lastNs / firstNs - 1))
                .measure("together", Units.percent((double) slowerNs / comparedNs))
                .quantity("kernels that got slower", slower.size(), "count")
                .quantity("kernels compared", compared.size(), "count");
        slower.stream()
                .limit(MOST_PLACES)
                .forEach(one -> finding.place(
                        "median " + Units.duration(one.firstNs()) + " at first, " + Units.duration(one.lastNs())
                                + " at last",
                        one.name(),
                        one.moreNs(),
                        one.lengthsNs().length));
        return Verdict.found(finding.advice(analysis).noGain("what slows the device is not in the recording"));
    }

    /** Returns the kernels of the judged part that are launched often in one shape, without launches beside others. */
    private static List<Compared> compared(Analysis analysis, DeviceActivity device) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        // By name, blocks and threads.
        Map<List<Long>, LongStream.Builder> found = new LinkedHashMap<>();
        long endNs = Long.MIN_VALUE;
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            boolean beside = timeline.startNs(row) < endNs
                    || (i + 1 < device.operationCount() && timeline.startNs(device.row(i + 1)) < timeline.endNs(row));
            endNs = Math.max(endNs, timeline.endNs(row));
            long blocks = timeline.attribute(row, Attribute.GRID_BLOCKS);
            if (!beside
                    && blocks >= 0
                    && timeline.kind(row) == RowKind.KERNEL
                    && !device.isCommunication(row)
                    && timeline.startNs(row) >= part.startNs()
                    && timeline.endNs(row) <= part.endNs()) {
                List<Long> launched =
                        List.of((long) timeline.nameId(row), blocks, timeline.attribute(row, Attribute.BLOCK_THREADS));
                found.computeIfAbsent(launched, key -> LongStream.builder()).add(timeline.durationNs(row));
            }
        }
        return found.entrySet().stream()
                .map(one -> new Compared(
                        timeline.text(one.getKey().get(0)),
                        one.getValue().build().toArray()))
                .filter(one -> one.lengthsNs().length >= LEAST_LAUNCHES)
                .toList();
    }
}
